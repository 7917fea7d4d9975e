import { askProgram } from '../../engine/examine/ask-program.ts';
import {
  type Check,
  checkOf,
  type Finding,
  fail,
  type Look,
  ok,
  read,
  readOnce,
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
  silentPage,
} from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import { type RouterStatus, routerStatusSchema } from '../serve/router-status.ts';
import { type LiveSettings, routerCommand } from '../settings/router-command.ts';

type RouterCheck = Check<DeployedContext>;
type About = Pick<RouterCheck, 'id' | 'title' | 'why'>;

const settingsIn = deployedSettings(routerCommand);

const page = async (context: DeployedContext) => {
  const limits = answerLimits(context);
  return read(await askProgram('router', settingsIn(context).listen, routerStatusSchema, limits));
};

/** For all checks but `router-ready`, which is the one that fails. */
const status: Look<DeployedContext, RouterStatus> = async (context) => {
  const answer = await readOnce(context, page);
  return answer.kind === 'read' && answer.value.status !== null
    ? read(answer.value.status)
    : unknown('the router does not answer at its page', 'see check router-ready');
};

/** A check of the router's own status. */
function statusCheck(about: About, judge: (status: RouterStatus) => Finding): RouterCheck {
  return checkOf({ ...about, needs: { status }, judge: (facts) => judge(facts.status) });
}

/** An object of the API, as the router itself may read it. */
async function get(context: DeployedContext, path: string) {
  const limits = answerLimits(context);
  const ask = { method: 'GET', path } as const;
  return await withOwnSession(
    settingsIn(context),
    limits,
    async (session) => await askObject(session, ask, limits),
  );
}

/** Everything that a router with these settings does with the API. */
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

const RULES = 'kubectl apply -f manifests/router/rbac.yaml, or rules like those';

async function routesInApi(context: DeployedContext) {
  const { namespace } = settingsIn(context);
  const kind = { apiVersion: 'route.openshift.io/v1', plural: 'routes' };
  const path = pathOf({ ...kind, ...(namespace !== undefined && { namespace }) });
  return read(await get(context, `${path}?limit=1`));
}

async function leaseOf(context: DeployedContext) {
  const { updateStatus, serviceName, serviceNamespace: namespace } = settingsIn(context);
  if (!updateStatus) return skip('ROUTER_UPDATE_STATUS is false: it writes none');
  const name = `hawser-router-${serviceName}`;
  const path = pathOf({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace }, name);
  return read({ name, answer: await get(context, path), now: Date.now() });
}

/** The checks of a router, in the order in which they are shown. */
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
    why: 'If it may not list a kind, it never becomes ready; without the other rights it writes no statuses.',
    run: async (context) => {
      const settings = settingsIn(context);
      return await examineAccess(neededAccess(settings), () => RULES, settings, answerLimits(context));
    },
  },
  checkOf({
    id: 'route-crd',
    title: 'Routes in the API',
    why: 'An API that does not know Routes has none: only Ingresses are served.',
    needs: { routesInApi },
    judge: ({ routesInApi: answer }) => {
      if (answer.kind === 'object') return ok('the API knows them');
      if (answer.kind === 'refused' && answer.status === 404)
        return fail(
          'the API knows no route.openshift.io/v1',
          'kubectl apply -f manifests/router/route-crd.yaml, where the cluster is no OpenShift',
        );
      return unknown(answer.message, 'look at check router-rbac');
    },
  }),
  checkOf({
    id: 'router-lease',
    title: 'Lease of the status writer',
    why: "Without a holder no Route's status says whether it is served.",
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

/** Clocks of replicas and of this machine may differ by so much. */
const SLACK_MS = 5_000;

/** Whether one of the replicas writes the Routes' statuses. */
export function judgeLease(name: string, answer: ObjectAnswer | ApiFailure, now: number): Finding {
  const look = 'kubectl logs POD -c router | grep lease says why; look at check router-rbac';
  if (answer.kind === 'refused' && answer.status === 404)
    return fail(`there is no Lease ${name}: no replica writes the statuses of Routes`, look);
  if (answer.kind !== 'object') return unknown(answer.message, 'look at check router-rbac');
  const { data } = leaseObject.safeParse(answer.value);
  if (data === undefined) return unknown(`${name} is no Lease`, `kubectl get lease ${name} -o yaml`);
  const { holderIdentity, renewTime, leaseDurationSeconds } = data.spec;
  if (!holderIdentity)
    return warn(`nobody holds Lease ${name}: a replica takes it within 15 s, if one is ready`, look);
  const idleMs = now - Date.parse(renewTime ?? '');
  if (!(idleMs < (leaseDurationSeconds ?? 0) * 1_000 + SLACK_MS))
    return fail(`${holderIdentity} holds Lease ${name} and does not renew it (since ${renewTime})`, look);
  return ok(`${holderIdentity} writes`);
}

const DAY_MS = 86_400_000;

export function judgeReady(status: RouterStatus): Finding {
  const { synced, unready, routes } = status;
  if (!synced)
    return fail(
      'it has not listed every kind of object yet, so nothing is served',
      'look at checks router-rbac and route-crd; kubectl logs POD -c router says what the API answers',
    );
  if (unready !== null) return fail(`it is not ready: ${unready}`, 'look at check router-haproxy');
  return ok(`it serves ${countText(routes?.admitted ?? 0, 'route')}`);
}

export function judgeLeftOut({ routes }: RouterStatus): Finding {
  if (routes === null) return skip('it has decided about no route yet');
  const { ConfigurationRefused: refused = 0, Unprintable: unprintable = 0 } = routes.rejected;
  const count = refused + unprintable;
  const named = routes.leftOut.map(({ key, message }) => `${key}: ${message}`);
  if (count === 0) return ok('HAProxy and the template take every admitted route');
  return fail(
    `${countText(count, 'admitted route')} left out, among them ${named.slice(0, 3).join('; ')}`,
    "the Route's condition Admitted has the same words: its owner mends it; with a template of your own look there",
  );
}

export function judgeCertificates({ certificates }: RouterStatus): Finding {
  if (certificates === null) return skip('it has decided about no route yet');
  const { served, expired, expiring, first } = certificates;
  const named = first
    .slice(0, Math.min(3, expired + expiring))
    .map(({ route, host, validTo }) => `${route} (${host}) ${validTo.slice(0, 10)}`);
  const renew = `renew them, the first ones are ${named.join(', ')}; hawser status lists more`;
  if (expired > 0) return fail(`${countText(expired, 'certificate')} of routes expired`, renew);
  if (expiring > 0)
    return warn(`${countText(expiring, 'certificate')} of routes: the end is within 14 days`, renew);
  return ok(`${countText(served, 'certificate')} of routes, none ends within 14 days`);
}

export function judgeDefaultCertificate({ defaultCertificate }: RouterStatus, now: number): Finding {
  if (defaultCertificate === null) return skip('nothing was rendered yet');
  const { isGiven, validTo } = defaultCertificate;
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const renew = 'put a new one in its place: the router takes it over without a reload';
  if (!isGiven)
    return warn(
      'none is given: hosts without their own get a self-signed one, another one from each replica',
      'kubectl -n hawser-router create secret tls hawser-router-default-certificate --cert=tls.crt --key=tls.key',
    );
  if (days < 0) return fail(`it expired on ${validTo.slice(0, 10)}`, renew);
  if (days < 14) return warn(`it ends on ${validTo.slice(0, 10)}, in ${days} days`, renew);
  return ok(`given, valid until ${validTo.slice(0, 10)}`);
}
