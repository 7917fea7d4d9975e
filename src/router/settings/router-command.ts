import { commandSpec, type SettingsOf } from '../../cli/command-spec.ts';
import { isInCluster } from '../../engine/kube/in-cluster.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { admissionProblems } from './admission-flags.ts';
import { liveFlags } from './live-flags.ts';
import { metricsProblems } from './metrics-flags.ts';
import { routerFlags } from './router-settings.ts';
import { statusFlags } from './status-flags.ts';

export const routerCommand = commandSpec({
  name: 'router',
  section: 'router',
  summary:
    'Serves Routes and Ingresses: watches the API, writes the configuration of HAProxy, asks for reloads.',
  flags: { ...routerFlags, ...liveFlags, ...statusFlags },
  examples: [
    ['hawser router', 'in a pod, next to hawser haproxy supervise'],
    ['hawser router --kubeconfig ~/.kube/config --ingress-class hawser', 'Ingresses of that class too'],
  ],
  notes: [
    'The settings have the names of the OpenShift router in the environment; hawser router render takes the same ones.',
    'Nothing is written before every kind of object has been listed. A route that HAProxy refuses is left out, and the others are served.',
    'SIGTERM: not ready from then on, and the end after --shutdown-delay; the supervisor drains when it is stopped.',
    'Exit codes: 0 asked to stop, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: (settings, env) => {
    const problems = [...metricsProblems(settings)];
    if (settings.kubeconfig === undefined && !isInCluster(env))
      problems.push(
        'Cannot find credentials for the API: this is no pod (KUBERNETES_SERVICE_HOST is not set), expected --kubeconfig',
      );
    problems.push(...admissionProblems(settings));
    if (problems.length > 0) throw new ConfigError(problems);
    const listen = settings.listen ?? { host: '0.0.0.0', port: settings.statsPort };
    const { compareInterval: checkInterval, shutdownDelay: shutdownDelayMs } = settings;
    return { ...settings, listen, checkInterval, shutdownDelayMs, env };
  },
});

export type LiveSettings = SettingsOf<typeof routerCommand>;
