import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { absolutePath, durationMs, port } from '../../cli/fields.ts';
import { daemonFlags, defaultPorts } from '../../cli/shared-flags.ts';
import { isInCluster } from '../../engine/kube/in-cluster.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { haproxyMonitorFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { admissionProblems } from './admission-flags.ts';
import { metricsFlags, metricsProblems } from './metrics-settings.ts';
import { httpUrl, pageAddress, truth, wordPath } from './router-fields.ts';
import { publishProblems, routerFlags, statusFlags } from './router-settings.ts';

const { socket, haproxy } = haproxyMonitorFlags;

/** The settings of the running router, in addition to those of its configuration. */
const liveFlags = {
  kubeconfig: flag(
    '<path>',
    z.optional(absolutePath),
    "credentials for the API (default: the pod's service account)",
    { inFile: 'top' },
  ),
  config: flag('<path>', wordPath, "path of haproxy.cfg; the same as the supervisor's", {
    default: '/etc/haproxy/haproxy.cfg',
  }),
  socket,
  haproxy,
  reloadInterval: flag(
    '<duration>',
    durationMs.check(z.minimum(1_000, { error: 'expected at least 1s' })),
    'minimum interval between reloads; the first change is served at once',
    { default: '5s', variable: 'RELOAD_INTERVAL' },
  ),
  reloadScript: flag(
    '<path>',
    z.optional(absolutePath),
    'program that reloads HAProxy instead of the supervisor; every change is then a reload',
    { variable: 'RELOAD_SCRIPT' },
  ),
  compareInterval: flag(
    '<duration>',
    durationMs,
    'how often the files on disk are compared with the desired ones',
    {
      default: '1m',
    },
  ),
  watchEndpoints: toggle('read Endpoints instead of EndpointSlices', { variable: 'ROUTER_WATCH_ENDPOINTS' }),
  secrets: flag('<true|false>', truth, 'read the Secrets that routes and Ingresses name', {
    default: 'true',
    variable: 'ROUTER_ENABLE_EXTERNAL_CERTIFICATE',
  }),
  shutdownDelay: flag(
    '<duration>',
    durationMs,
    'how long it reports not ready after SIGTERM before it exits',
    {
      default: '45s',
      variable: 'ROUTER_GRACEFUL_SHUTDOWN_DELAY',
    },
  ),
  listen: flag('<address:port>', z.optional(pageAddress), '/healthz, /healthz/ready, /metrics and /status', {
    variable: 'ROUTER_LISTEN_ADDR',
  }),
  statsPort: flag('<port>', port, 'port of that page on all addresses, unless --listen is given', {
    default: `${defaultPorts.router}`,
    variable: 'STATS_PORT',
  }),
  readyUrl: flag(
    '<url>',
    z.optional(httpUrl),
    'readiness needs a 2xx response from this URL of HAProxy (default: any response on --http-port)',
    { variable: 'ROUTER_METRICS_READY_HTTP_URL' },
  ),
  ...metricsFlags,
  ...daemonFlags,
};

export const routerCommand = commandSpec({
  name: 'router',
  section: 'router',
  summary:
    "Serves Routes and Ingresses: watches the API, writes HAProxy's configuration and requests reloads.",
  flags: { ...routerFlags, ...liveFlags, ...statusFlags },
  examples: [
    ['hawser router', 'in a pod, next to hawser haproxy supervise'],
    [
      'hawser router --kubeconfig ~/.kube/config --ingress-class hawser',
      'also serves Ingresses of that class',
    ],
  ],
  notes: [
    "The environment variables have the OpenShift router's names; hawser router render takes the same ones.",
    'Nothing is written before every kind of object has been listed. A route that HAProxy refuses is left out, and the others are served.',
    'On SIGTERM the router reports not ready and exits after --shutdown-delay; the supervisor drains when it is stopped.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
  derive: (settings, env) => {
    const problems = [...metricsProblems(settings)];
    if (settings.kubeconfig === undefined && !isInCluster(env))
      problems.push(
        'Cannot find credentials for the API: this is not a pod (KUBERNETES_SERVICE_HOST is not set), expected --kubeconfig',
      );
    problems.push(...admissionProblems(settings), ...publishProblems(settings));
    if (problems.length > 0) throw new ConfigError(problems);
    const listen = settings.listen ?? { host: '0.0.0.0', port: settings.statsPort };
    const { compareInterval: checkInterval, shutdownDelay: shutdownDelayMs } = settings;
    return { ...settings, listen, checkInterval, shutdownDelayMs, env };
  },
});

export type LiveSettings = SettingsOf<typeof routerCommand>;
