import {
  type Check,
  checkOf,
  type Finding,
  fail,
  ok,
  read,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import { examineAccess, withOwnSession } from '../../engine/examine/judge-access.ts';
import type { Access } from '../../engine/kube/access-review.ts';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import { askObject, type ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { leaseObject } from '../../engine/kube/lease-spec.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import {
  answerLimits,
  type DeployedContext,
  deployedSettings,
  pageFacts,
  silentPage,
} from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import { type RouterStatus, routerStatusSchema } from '../serve/router-status.ts';
import { type LiveSettings, routerCommand } from '../settings/router-command.ts';

type RouterCheck = Check<DeployedContext>;
type About = Pick<RouterCheck, 'id' | 'title' | 'why'>;

const settingsIn = deployedSettings(routerCommand);

const silent = unknown("the router's page does not answer", 'see check router-ready');
const { page, status } = pageFacts('router', settingsIn, routerStatusSchema, silent);

/** A check that needs only the router's status. */
function statusCheck(about: About, judge: (status: RouterStatus) => Finding): RouterCheck {
  return checkOf({ ...about, needs: { status }, judge: (facts) => judge(facts.status) });
}

/** Reads an object of the API with the router's own credentials. */
async function get(context: DeployedContext, path: string) {
  const limits = answerLimits(context);
  const ask = { method: 'GET', path } as const;
  return await withOwnSession(
    settingsIn(context),
    limits,
    async (session) => await askObject(session, ask, limits),
  );
}

/** Every permission that a router with these settings needs. */
export function neededAccess(settings: LiveSettings): readonly Access[] {
  const { namespace, watchEndpoints, ingressClass, secrets, updateStatus, serviceNamespace } = settings;
  const { publishService, publishAddress } = settings;
  const read = (group: string, resource: string, where: string | undefined = namespace): readonly Access[] =>
    ['list', 'watch'].map((verb) => ({ verb, group, resource, namespace: where }));
  const hasShard = settings.namespaceLabels !== undefined || settings.projectLabels !== undefined;
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: serviceNamespace };
  const routes = 'route.openshift.io';
  const ingresses = { group: 'networking.k8s.io', namespace };
  const isPublishing = updateStatus && ingressClass !== undefined;
  const hasAddresses = publishService !== undefined || publishAddress.length > 0;
  return [
    ...read(routes, 'routes'),
    ...(watchEndpoints ? read('', 'endpoints') : read('discovery.k8s.io', 'endpointslices')),
    ...read('', 'services'),
    ...(ingressClass === undefined ? [] : read('networking.k8s.io', 'ingresses')),
    ...(hasShard ? ['list', 'watch'].map((verb) => ({ verb, group: '', resource: 'namespaces' })) : []),
    ...(secrets ? read('', 'secrets') : []),
    ...(updateStatus ? [{ verb: 'patch', group: routes, resource: 'routes/status', namespace }] : []),
    ...(isPublishing && publishService ? read('', 'services', publishService.namespace) : []),
    ...(isPublishing && hasAddresses
      ? [
          { ...ingresses, verb: 'get', resource: 'ingresses' },
          { ...ingresses, verb: 'patch', resource: 'ingresses/status' },
        ]
      : []),
    ...(updateStatus ? ['get', 'create', 'patch'].map((verb) => ({ ...lease, verb })) : []),
  ];
}

const RULES = 'kubectl apply -f manifests/router/rbac.yaml, or equivalent rules';

async function routesInApi(context: DeployedContext) {
  const { namespace } = settingsIn(context);
  const kind = { apiVersion: 'route.openshift.io/v1', plural: 'routes' };
  const path = pathOf({ ...kind, ...(namespace !== undefined && { namespace }) });
  return read(await get(context, `${path}?limit=1`));
}

async function leaseOf(context: DeployedContext) {
  const { updateStatus, serviceName, serviceNamespace: namespace } = settingsIn(context);
  if (!updateStatus) return skip('ROUTER_UPDATE_STATUS is false: the router writes no statuses');
  const name = `hawser-router-${serviceName}`;
  const path = pathOf({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace }, name);
  return read({ name, answer: await get(context, path), now: Date.now() });
}

/** The router's checks, in display order. */
export const routerChecks: readonly RouterCheck[] = [
  checkOf({
    id: 'router-ready',
    title: 'The router',
    why: 'A router that is not ready gets no clients; if no replica is ready, every host of the cluster is down.',
    needs: { page },
    judge: ({ page: { status: here, program } }) =>
      here === null ? silentPage('router', program.problem) : judgeReady(here),
  }),
  servingCheck(
    {
      id: 'router-haproxy',
      title: "The router's HAProxy",
      portsAre: 'ROUTER_SERVICE_HTTP_PORT and ROUTER_SERVICE_HTTPS_PORT',
    },
    settingsIn,
  ),
  {
    id: 'router-rbac',
    title: "The router's permissions",
    why: 'A router that may not list a kind never becomes ready; without the other rights it writes no statuses.',
    run: async (context) => {
      const settings = settingsIn(context);
      return await examineAccess(neededAccess(settings), () => RULES, settings, answerLimits(context));
    },
  },
  checkOf({
    id: 'route-crd',
    title: 'Routes in the API',
    why: 'Without Routes in the API, the router serves only Ingresses.',
    needs: { routesInApi },
    judge: ({ routesInApi: answer }) => {
      if (answer.kind === 'object') return ok('the API serves route.openshift.io/v1');
      if (answer.kind === 'refused' && answer.status === 404)
        return fail(
          'the API does not serve route.openshift.io/v1',
          'kubectl apply -f manifests/router/route-crd.yaml, unless the cluster runs OpenShift',
        );
      return unknown(answer.message, 'see check router-rbac');
    },
  }),
  checkOf({
    id: 'router-lease',
    title: 'Lease of the status writer',
    why: "Without a holder, no Route's status shows whether the Route is served.",
    needs: { lease: leaseOf },
    judge: ({ lease: { name, answer, now } }) => judgeLease(name, answer, now),
  }),
  statusCheck(
    {
      id: 'routes-left-out',
      title: 'Routes that are left out',
      why: 'A route that HAProxy refuses is left out so that all others are served.',
    },
    judgeLeftOut,
  ),
  statusCheck(
    {
      id: 'route-certificates',
      title: 'Certificates of routes',
      why: 'Clients refuse a host with an expired certificate; the router still serves it.',
    },
    judgeCertificates,
  ),
  statusCheck(
    {
      id: 'default-certificate',
      title: 'The default certificate',
      why: 'It is served for every host without its own certificate.',
    },
    (status) => judgeDefaultCertificate(status, Date.now()),
  ),
];

/** Allows for differences between the clocks of this machine and of the replicas. */
const SLACK_MS = 5_000;

/** Judges whether a replica writes the Routes' statuses. */
export function judgeLease(name: string, answer: ObjectAnswer | ApiFailure, now: number): Finding {
  const remedy = 'kubectl logs POD -c router | grep lease shows why; see check router-rbac';
  if (answer.kind === 'refused' && answer.status === 404)
    return fail(`there is no Lease ${name}: no replica writes the statuses of Routes`, remedy);
  if (answer.kind !== 'object') return unknown(answer.message, 'see check router-rbac');
  const { data } = leaseObject.safeParse(answer.value);
  if (data === undefined) return unknown(`${name} is not a Lease`, `kubectl get lease ${name} -o yaml`);
  const { holderIdentity, renewTime, leaseDurationSeconds } = data.spec;
  if (!holderIdentity)
    return warn(`nobody holds Lease ${name}: a ready replica acquires it within 15 s`, remedy);
  const idleMs = now - Date.parse(renewTime ?? '');
  if (!(idleMs < (leaseDurationSeconds ?? 0) * 1_000 + SLACK_MS))
    return fail(`${holderIdentity} holds Lease ${name} and has not renewed it since ${renewTime}`, remedy);
  return ok(`${holderIdentity} writes the statuses`);
}

const DAY_MS = 86_400_000;

export function judgeReady(status: RouterStatus): Finding {
  const { synced, unready, routes } = status;
  if (!synced)
    return fail(
      'the router has not listed every kind of object yet, so it serves nothing',
      "see checks router-rbac and route-crd; kubectl logs POD -c router shows the API's errors",
    );
  if (unready !== null) return fail(`the router is not ready: ${unready}`, 'see check router-haproxy');
  return ok(`serves ${countText(routes?.admitted ?? 0, 'route')}`);
}

export function judgeLeftOut({ routes }: RouterStatus): Finding {
  if (routes === null) return skip('no routes have been evaluated yet');
  const { ConfigurationRefused: refused = 0, Unprintable: unprintable = 0 } = routes.rejected;
  const count = refused + unprintable;
  const named = routes.leftOut.map(({ key, message }) => `${key}: ${message}`);
  if (count === 0) return ok('HAProxy and the template accept every admitted route');
  return fail(
    `${countText(count, 'admitted route')} left out, including ${named.slice(0, 3).join('; ')}`,
    "the Route's condition Admitted has the same message for its owner to fix; with a custom template, check the template",
  );
}

export function judgeCertificates({ certificates }: RouterStatus): Finding {
  if (certificates === null) return skip('no routes have been evaluated yet');
  const { served, expired, expiring, first } = certificates;
  const named = first
    .slice(0, Math.min(3, expired + expiring))
    .map(({ route, host, validTo }) => `${route} (${host}) ${validTo.slice(0, 10)}`);
  const renew = `renew them, starting with ${named.join(', ')}; hawser status lists more`;
  if (expired > 0) return fail(`${countText(expired, 'route certificate')} expired`, renew);
  if (expiring > 0)
    return warn(`${countText(expiring, 'route certificate')} will expire within 14 days`, renew);
  return ok(`${countText(served, 'route certificate')}, none expires within 14 days`);
}

export function judgeDefaultCertificate({ defaultCertificate }: RouterStatus, now: number): Finding {
  if (defaultCertificate === null) return skip('nothing has been rendered yet');
  const { isGiven, validTo } = defaultCertificate;
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const renew = 'replace it: the router loads the new one without a reload';
  if (!isGiven)
    return warn(
      'none is configured: hosts without their own certificate get a self-signed one, which differs between replicas',
      'kubectl -n hawser-router create secret tls hawser-router-default-certificate --cert=tls.crt --key=tls.key',
    );
  if (days < 0) return fail(`it expired on ${validTo.slice(0, 10)}`, renew);
  if (days < 14) return warn(`it expires on ${validTo.slice(0, 10)}, in ${days} days`, renew);
  return ok(`configured, valid until ${validTo.slice(0, 10)}`);
}
