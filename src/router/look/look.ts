import { askProgram } from '../../engine/examine/ask-program.ts';
import type { Access } from '../../engine/kube/access-review.ts';
import { answerLimits, type DeployedContext } from '../../haproxy/doctor/deployed.ts';
import { type RouterStatus, routerStatusSchema } from '../serve/router-status.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { settingsIn } from './context.ts';

/** What the router says at its page, or why it says nothing. */
export async function askRouter(context: DeployedContext, signal: AbortSignal) {
  const { listen } = settingsIn(context);
  const limits = answerLimits(context, signal);
  const { program, status } = await askProgram('router', listen, routerStatusSchema, limits);
  return { problem: program.problem, status: status as RouterStatus | null };
}

/** Everything that a router with these settings does with the API. */
export function neededAccess(settings: LiveSettings): readonly Access[] {
  const { namespace, watchEndpoints, ingressClass, secrets, updateStatus, serviceNamespace } = settings;
  const read = (group: string, resource: string, where: string | undefined = namespace): readonly Access[] =>
    ['list', 'watch'].map((verb) => ({ verb, group, resource, namespace: where }));
  const hasShard = settings.namespaceLabels !== undefined || settings.projectLabels !== undefined;
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: serviceNamespace };
  const routes = 'route.openshift.io';
  return [
    ...read(routes, 'routes'),
    ...(watchEndpoints ? read('', 'endpoints') : read('discovery.k8s.io', 'endpointslices')),
    ...read('', 'services'),
    ...(ingressClass === undefined ? [] : read('networking.k8s.io', 'ingresses')),
    ...(hasShard ? ['list', 'watch'].map((verb) => ({ verb, group: '', resource: 'namespaces' })) : []),
    ...(secrets ? read('', 'secrets') : []),
    ...(updateStatus ? [{ verb: 'patch', group: routes, resource: 'routes/status', namespace }] : []),
    ...(updateStatus ? ['get', 'create', 'patch'].map((verb) => ({ ...lease, verb })) : []),
  ];
}
