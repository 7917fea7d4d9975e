import { type Check, type Finding, fail, ok, skip, unknown } from '../../engine/examine/check.ts';
import { examineAccess } from '../../engine/examine/judge-access.ts';
import { withOwnSession } from '../../engine/examine/own-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import { answerLimits, type DeployedContext, silentPage } from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import type { RouterStatus } from '../serve/router-status.ts';
import { settingsIn } from './context.ts';
import { judgeLease } from './judge-lease.ts';
import {
  judgeCertificates,
  judgeDefaultCertificate,
  judgeLeftOut,
  judgeReady,
  notAnswering,
} from './judge-status.ts';
import { askRouter, neededAccess } from './look.ts';

type RouterCheck = Check<DeployedContext>;

async function get(context: DeployedContext, path: string, signal: AbortSignal) {
  const limits = answerLimits(context, signal);
  return await withOwnSession(
    settingsIn(context),
    limits,
    async (session) => await askObject(session, { method: 'GET', path }, limits),
  );
}

/** A check of what the router says of itself. */
function statusCheck(
  { id, title, why }: Pick<RouterCheck, 'id' | 'title' | 'why'>,
  judge: (status: RouterStatus) => Finding,
): RouterCheck {
  return {
    ...{ id, title, why },
    run: async (context, signal) => {
      const { status } = await askRouter(context, signal);
      return status === null ? notAnswering : judge(status);
    },
  };
}

const ready: RouterCheck = {
  id: 'router-ready',
  title: 'The router',
  why: 'A router that is not ready gets no clients; if no replica is ready, every host of the cluster is down.',
  run: async (context, signal) => {
    const { status, problem } = await askRouter(context, signal);
    return status === null ? silentPage('router', problem) : judgeReady(status);
  },
};

const haproxy = servingCheck(
  {
    ...{ id: 'router-haproxy', title: "The router's HAProxy" },
    portsAre: 'ROUTER_SERVICE_HTTP_PORT and ROUTER_SERVICE_HTTPS_PORT',
  },
  settingsIn,
);

const RULES = 'kubectl apply -f manifests/router/rbac.yaml, or rules like those';

const rbac: RouterCheck = {
  id: 'router-rbac',
  title: 'What the router may do',
  why: 'If it may not list a kind, it never becomes ready; without the other rights it writes no statuses.',
  run: async (context, signal) => {
    const settings = settingsIn(context);
    const limits = answerLimits(context, signal);
    return await examineAccess(neededAccess(settings), () => RULES, settings, limits);
  },
};

const crd: RouterCheck = {
  id: 'route-crd',
  title: 'Routes in the API',
  why: 'An API that does not know Routes has none: only Ingresses are served.',
  run: async (context, signal) => {
    const { namespace } = settingsIn(context);
    const kind = { apiVersion: 'route.openshift.io/v1', plural: 'routes' };
    const path = pathOf({ ...kind, ...(namespace !== undefined && { namespace }) });
    const answer = await get(context, `${path}?limit=1`, signal);
    if (answer.kind === 'object') return ok('the API knows them');
    if (answer.kind === 'refused' && answer.status === 404)
      return fail(
        'the API knows no route.openshift.io/v1',
        'kubectl apply -f manifests/router/route-crd.yaml, where the cluster is no OpenShift',
      );
    return unknown(answer.message, 'look at check router-rbac');
  },
};

const lease: RouterCheck = {
  id: 'router-lease',
  title: 'Who writes statuses',
  why: "Without a holder no Route's status says whether it is served.",
  run: async (context, signal) => {
    const { updateStatus, serviceName, serviceNamespace: namespace } = settingsIn(context);
    if (!updateStatus) return skip('ROUTER_UPDATE_STATUS is false: it writes none');
    const name = `hawser-router-${serviceName}`;
    const path = pathOf({ apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace }, name);
    return judgeLease(name, await get(context, path, signal), Date.now());
  },
};

/** The checks of a router, in the order in which they are shown. */
export const routerChecks: readonly RouterCheck[] = [
  ready,
  haproxy,
  rbac,
  crd,
  lease,
  statusCheck(
    {
      ...{ id: 'routes-left-out', title: 'Routes that are left out' },
      why: 'A route that HAProxy refuses is left out so that all others are served.',
    },
    judgeLeftOut,
  ),
  statusCheck(
    {
      ...{ id: 'route-certificates', title: 'Certificates of routes' },
      why: 'Clients refuse a host with an expired certificate; the router still serves it.',
    },
    judgeCertificates,
  ),
  statusCheck(
    {
      ...{ id: 'default-certificate', title: 'The default certificate' },
      why: 'It is served for every host without its own certificate.',
    },
    (status) => judgeDefaultCertificate(status, Date.now()),
  ),
];
