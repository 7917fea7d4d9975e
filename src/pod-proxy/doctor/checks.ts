import { type Check, checkOf, type Finding, fail, ok, skip, unknown } from '../../engine/examine/check.ts';
import { examineAccess, withOwnSession } from '../../engine/examine/judge-access.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import {
  answerLimits,
  type DeployedContext,
  deployedSettings,
  pageFacts,
  silentPage,
} from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import { requestsRecords } from '../dns/keep-records.ts';
import { findDnsEndpoints } from '../dns/publish-dns-endpoint.ts';
import { proxyCommand } from '../proxy-settings.ts';
import { type ProxyStatus, proxyStatusSchema } from '../proxy-status.ts';
import { requestsIn } from '../requests.ts';
import { podsResource, slicesResource } from '../resources.ts';
import { judgePods, judgeSlices, judgeWrongSelector, listed, readOwn, unreadable } from './downstreams.ts';
import { neededAccess, remedyOf, requestedAccess } from './rights.ts';

type PodProxyCheck = Check<DeployedContext>;

const settingsIn = deployedSettings(proxyCommand);

export function judgeTemplate({ synced, problem, hosts }: ProxyStatus): Finding {
  if (!synced)
    return fail(
      'it has not yet read its pod or the objects that the annotations request',
      "see check pod-proxy-rbac; kubectl logs POD -c pod-proxy shows the API's answer",
    );
  if (problem !== null) return fail(`${problem.reason}: ${problem.message}`, remedyFor(problem.reason));
  return hosts === null ? skip('no configuration was rendered yet') : ok('HAProxy serves it');
}

function remedyFor(reason: string): string {
  switch (reason) {
    case 'TemplateMissing':
      return 'kubectl annotate pod POD hawser.dev/config="$(cat haproxy.cfg)", in the Deployment for good (docs/pod-proxy.md)';
    case 'ConfigurationRefused':
      return "correct the template; kubectl describe pod POD shows HAProxy's message, and the previous configuration stays in use";
    case 'TemplateRefused':
      return 'correct the template; the previous configuration stays in use';
    case 'NotReadable':
      return 'grant the permission that the message names, or find why the API does not answer; what was read before stays in use';
    case 'AddressesLimited':
      return 'find what creates these pods, or split the group with another label app; the other groups are served';
    default:
      return 'correct the annotation or object in the message; the previous configuration stays in use';
  }
}

/** Problems with the DNS records, as this replica reports them. */
export function judgeDns({ dns }: ProxyStatus): Finding {
  if (!dns) return skip('no annotation requests a DNS record');
  const { target, names, problems } = dns;
  if (problems.length > 0)
    return fail(
      problems.join('; '),
      'docs/pod-proxy.md, "DNS records"; permissions are in check pod-proxy-rbac',
    );
  return ok(target === null ? 'another replica writes' : `${countText(names.length, 'name')} by ${target}`);
}

const silent = unknown("the pod proxy's page does not answer", 'see check pod-proxy-template');
const { page, status } = pageFacts('pod-proxy', settingsIn, proxyStatusSchema, silent);

async function examineDownstreams(context: DeployedContext): Promise<Finding> {
  const settings = settingsIn(context);
  const limits = answerLimits(context);
  return await withOwnSession(settings, limits, async (session) => {
    const own = await readOwn(session, settings, limits);
    if (own.kind !== 'own') return own.kind === 'unknown' ? unreadable(own.message) : missing(settings);
    const { hosts } = requestsIn(own.pod.annotations);
    switch (hosts.kind) {
      case 'wrong':
        return judgeWrongSelector(hosts.message);
      case 'pods':
        return judgePods(own.pod, await listed(session, podsResource(own.pod), limits));
      case 'slices': {
        const slices = slicesResource(own.pod, hosts.labelSelector);
        return judgeSlices(own.pod, hosts.labelSelector, await listed(session, slices, limits));
      }
    }
  });
}

function missing({ namespace, pod }: { readonly namespace: string; readonly pod: string }): Finding {
  return fail(`there is no pod ${pod} in ${namespace}`, 'set HAWSER_POD to metadata.name');
}

async function examineRights(context: DeployedContext): Promise<Finding> {
  const settings = settingsIn(context);
  const limits = answerLimits(context);
  const { own, requested } = await withOwnSession(settings, limits, async (session) => {
    const own = await readOwn(session, settings, limits);
    if (own.kind !== 'own') return { own, requested: [] };
    const isRequested = requestsRecords(own.pod);
    const hasObjects =
      isRequested &&
      settings.dns === 'auto' &&
      (await findDnsEndpoints(session, context.signal)).kind === 'present';
    const target = hasObjects ? 'external-dns' : settings.dns;
    return { own, requested: requestedAccess(own.pod, { isRequested, target }) };
  });
  const needed = [...neededAccess(settings.namespace), ...requested];
  const finding = await examineAccess(
    needed,
    (denied) => remedyOf(denied, settings.namespace),
    settings,
    limits,
  );
  return finding.kind === 'ok' ? judgeRights(finding, own) : finding;
}

/** The annotations of the own pod may need further permissions, so without them the check cannot pass. */
function judgeRights(finding: Finding, own: Awaited<ReturnType<typeof readOwn>>): Finding {
  switch (own.kind) {
    case 'own':
      return finding;
    case 'missing':
      return unknown(
        'its pod, whose annotations may need more permissions, does not exist',
        'see check pod-proxy-downstreams',
      );
    case 'unknown':
      return unknown(`its annotations may need more permissions. ${own.message}`, 'run hawser doctor again');
  }
}

/** The checks of a pod proxy, in the order of the report. */
export const podProxyChecks: readonly PodProxyCheck[] = [
  checkOf({
    id: 'pod-proxy-template',
    title: "The pod proxy's template",
    why: 'Until it is fixed, changed addresses are not served either.',
    needs: { page },
    judge: ({ page: { status: here, program } }) =>
      here === null ? silentPage('pod-proxy', program.problem) : judgeTemplate(here),
  }),
  {
    id: 'pod-proxy-downstreams',
    title: 'Pods behind the pod proxy',
    why: 'A group without a ready pod has no address, and its clients get no answer.',
    run: examineDownstreams,
  },
  servingCheck(
    {
      id: 'pod-proxy-haproxy',
      title: "The pod proxy's HAProxy",
      portsAre: 'they are in the template',
    },
    settingsIn,
  ),
  checkOf({
    id: 'pod-proxy-dns',
    title: "The pod proxy's DNS records",
    why: 'With wrong records clients connect to proxies that no longer exist, or cannot resolve the name.',
    needs: { status },
    judge: (facts) => judgeDns(facts.status),
  }),
  {
    id: 'pod-proxy-rbac',
    title: "The pod proxy's permissions",
    why: 'Without permission to read its pod and the pods behind it there is no configuration; without Events no reasons are visible.',
    run: examineRights,
  },
];
