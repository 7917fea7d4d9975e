import { type Check, checkOf, type Finding, fail, ok, skip, unknown } from '../../engine/examine/check.ts';
import { examineAccess, withOwnSession } from '../../engine/examine/judge-access.ts';
import { queryPath } from '../../engine/kube/resource.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import {
  answerLimits,
  type DeployedContext,
  deployedSettings,
  pageLooks,
  silentPage,
} from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import { asksFor } from '../dns/keep-records.ts';
import { hasDnsEndpoints } from '../dns/publish-dns-endpoint.ts';
import { proxyCommand } from '../proxy-settings.ts';
import { type ProxyStatus, proxyStatusSchema } from '../proxy-status.ts';
import { slicesResource } from '../resources.ts';
import { wishesOf } from '../wishes.ts';
import { judgeDownstreams, listed, readOwn } from './downstreams.ts';
import { neededAccess, remedyOf, wishedAccess } from './rights.ts';

type PodProxyCheck = Check<DeployedContext>;

const settingsIn = deployedSettings(proxyCommand);

export function judgeTemplate({ known, problem, hosts }: ProxyStatus): Finding {
  if (!known)
    return fail(
      'it has not read its pod yet, or the objects that the annotations name',
      "see check pod-proxy-rbac; kubectl logs POD -c pod-proxy has the API's answer",
    );
  if (problem !== null) return fail(`${problem.reason}: ${problem.message}`, todoAbout(problem.reason));
  return hosts === null ? skip('nothing was rendered yet') : ok('HAProxy serves it');
}

function todoAbout(reason: string): string {
  switch (reason) {
    case 'TemplateMissing':
      return 'kubectl annotate pod POD hawser.dev/config="$(cat haproxy.cfg)", in the Deployment for good (docs/pod-proxy.md)';
    case 'ConfigurationRefused':
      return "correct the template; kubectl describe pod POD has HAProxy's message, and the previous configuration stays in use";
    case 'TemplateRefused':
      return 'correct the template; the previous configuration stays in use';
    case 'NotReadable':
      return 'grant the permission that the message names; the previous configuration stays in use';
    case 'AddressesLimited':
      return 'find out what creates these pods, or split the group with another label app; the other groups are served';
    default:
      return 'correct what the message names; the previous configuration stays in use';
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
const { page, status } = pageLooks('pod-proxy', settingsIn, proxyStatusSchema, silent);

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
    const { hosts } = wishesOf(own.pod.annotations);
    if (hosts.kind !== 'slices') return judgeDownstreams(own.pod, own.all);
    const slices = queryPath(slicesResource(own.pod, hosts.labelSelector), {});
    return judgeDownstreams(own.pod, await listed(session, slices, limits));
  });
}

async function examineRights(context: DeployedContext): Promise<Finding> {
  const settings = settingsIn(context);
  const limits = answerLimits(context);
  const wished = await withOwnSession(settings, limits, async (session) => {
    const own = await readOwn(session, settings, limits);
    if (own.kind !== 'own') return [];
    const isAsked = asksFor(own.pod);
    const isThere =
      isAsked && settings.dns === 'auto' && (await hasDnsEndpoints(session, context.signal)) === true;
    return wishedAccess(own.pod, { isAsked, target: isThere ? 'external-dns' : settings.dns });
  });
  const needed = [...neededAccess(settings.namespace), ...wished];
  return await examineAccess(needed, (denied) => remedyOf(denied, settings.namespace), settings, limits);
}

/** The checks of a pod proxy, in the order in which they are shown. */
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
    why: 'With wrong records clients connect to proxies that are gone, or do not resolve the name.',
    needs: { status },
    judge: (facts) => judgeDns(facts.status),
  }),
  {
    id: 'pod-proxy-rbac',
    title: "The pod proxy's permissions",
    why: 'Without reading its own pod and those behind it there is no configuration; without Events no reason is shown.',
    run: examineRights,
  },
];
