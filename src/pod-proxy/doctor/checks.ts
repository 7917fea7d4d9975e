import { type Check, checkOf, type Finding, fail, ok, skip, unknown } from '../../engine/examine/check.ts';
import { examineAccess, withOwnSession } from '../../engine/examine/judge-access.ts';
import { queryPath } from '../../engine/kube/resource.ts';
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
import { hasDnsEndpoints } from '../dns/publish-dns-endpoint.ts';
import { proxyCommand } from '../proxy-settings.ts';
import { type ProxyStatus, proxyStatusSchema } from '../proxy-status.ts';
import { requestsIn } from '../requests.ts';
import { slicesResource } from '../resources.ts';
import { judgeDownstreams, listed, readOwn } from './downstreams.ts';
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
    if (own.kind === 'unknown') return unknown(own.message, 'see check pod-proxy-rbac');
    if (own.kind === 'missing')
      return fail(
        `there is no pod ${settings.pod} in ${settings.namespace}`,
        'set HAWSER_POD to metadata.name',
      );
    const { hosts } = requestsIn(own.pod.annotations);
    if (hosts.kind !== 'slices') return judgeDownstreams(own.pod, own.all);
    const slices = queryPath(slicesResource(own.pod, hosts.labelSelector), {});
    return judgeDownstreams(own.pod, await listed(session, slices, limits));
  });
}

async function examineRights(context: DeployedContext): Promise<Finding> {
  const settings = settingsIn(context);
  const limits = answerLimits(context);
  const requested = await withOwnSession(settings, limits, async (session) => {
    const own = await readOwn(session, settings, limits);
    if (own.kind !== 'own') return [];
    const isRequested = requestsRecords(own.pod);
    const hasObjects =
      isRequested && settings.dns === 'auto' && (await hasDnsEndpoints(session, context.signal)) === true;
    return requestedAccess(own.pod, { isRequested, target: hasObjects ? 'external-dns' : settings.dns });
  });
  const needed = [...neededAccess(settings.namespace), ...requested];
  return await examineAccess(needed, (denied) => remedyOf(denied, settings.namespace), settings, limits);
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
