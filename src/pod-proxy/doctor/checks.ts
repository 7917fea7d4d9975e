import { askProgram } from '../../engine/examine/ask-program.ts';
import { type Check, type Finding, fail, ok, skip, unknown } from '../../engine/examine/check.ts';
import { examineAccess } from '../../engine/examine/judge-access.ts';
import { withOwnSession } from '../../engine/examine/own-session.ts';
import { askObject } from '../../engine/kube/ask-object.ts';
import { pathOf, queryPath } from '../../engine/kube/resource.ts';
import type { DeployedContext } from '../../haproxy/doctor/deployed.ts';
import { servingCheck } from '../../haproxy/doctor/serving-check.ts';
import { readOwnPod } from '../pod/pod.ts';
import { slicesResource } from '../resources.ts';
import { proxyStatusSchema, type ShownProxy } from '../status/pod-proxy-node.ts';
import { wishesOf } from '../wishes.ts';
import { settingsIn } from './context.ts';
import { itemsOf, judgeDownstreams, type Listed } from './downstreams.ts';

type PodProxyCheck = Check<DeployedContext>;

export function judgeTemplate({ known, problem, hosts }: ShownProxy): Finding {
  if (!known)
    return fail(
      'it has not read its pod yet, or what the annotations name',
      'look at check pod-proxy-rbac; kubectl logs POD -c pod-proxy says what the API answers',
    );
  if (problem !== null) return fail(`${problem.reason}: ${problem.message}`, remedyOf(problem.reason));
  return hosts === null ? skip('nothing was rendered yet') : ok('HAProxy serves it');
}

function remedyOf(reason: string): string {
  switch (reason) {
    case 'TemplateMissing':
      return 'kubectl annotate pod POD hawser.dev/config="$(cat haproxy.cfg)", in the Deployment for good (docs/pod-proxy.md)';
    case 'ConfigurationRefused':
      return "correct the template; kubectl describe pod POD has HAProxy's words, and what was served before goes on";
    case 'TemplateRefused':
      return 'correct the template; what was served before goes on';
    case 'NotReadable':
      return 'give it the right that the message names; what was served before goes on';
    default:
      return 'correct what the message names; what was served before goes on';
  }
}

const template: PodProxyCheck = {
  id: 'pod-proxy-template',
  title: "The pod proxy's template",
  why: 'While it cannot be served, no change of addresses is served either.',
  run: async (context, signal) => {
    const limits = { timeoutMs: context.answerTimeoutMs, signal };
    const { listen } = settingsIn(context);
    const { program, status } = await askProgram('pod-proxy', listen, proxyStatusSchema, limits);
    if (status !== null) return judgeTemplate(status);
    return fail(
      `its page does not answer: ${program.problem}`,
      'kubectl logs POD -c pod-proxy; the kubelet restarts it',
    );
  },
};

const haproxy = servingCheck({ id: 'pod-proxy-haproxy', title: "The pod proxy's HAProxy" }, settingsIn);

const rbac: PodProxyCheck = {
  id: 'pod-proxy-rbac',
  title: 'What the pod proxy may do',
  why: 'Without its own pod and those behind it there is no configuration; without Events nobody is told why.',
  run: async (context, signal) => {
    const settings = settingsIn(context);
    const { namespace } = settings;
    const read = (group: string, resource: string) =>
      ['list', 'watch'].map((verb) => ({ verb, group, resource, namespace }));
    const needed = [
      ...[...read('', 'pods'), ...read('', 'configmaps'), ...read('discovery.k8s.io', 'endpointslices')],
      { verb: 'create', group: '', resource: 'events', namespace },
    ];
    const limits = { signal, timeoutMs: context.answerTimeoutMs };
    return await examineAccess(needed, 'manifests/pod-proxy/rbac.yaml', settings, limits);
  },
};

const downstreams: PodProxyCheck = {
  id: 'pod-proxy-downstreams',
  title: 'Pods behind the pod proxy',
  why: 'A group without a ready pod has no address in the template, and its clients get no answer.',
  run: async (context, signal) => {
    const settings = settingsIn(context);
    const limits = { signal, timeoutMs: context.answerTimeoutMs };
    const pods = pathOf({ apiVersion: 'v1', plural: 'pods', namespace: settings.namespace });
    return await withOwnSession(settings, limits, async (session) => {
      const listed = async (path: string): Promise<Listed> => {
        const answer = await askObject(session, { method: 'GET', path }, limits);
        return answer.kind === 'object' ? itemsOf(answer.value) : answer;
      };
      const all = await listed(pods);
      if (all.kind !== 'listed') return unknown(all.message, 'see check pod-proxy-rbac');
      const own = all.items
        .flatMap((item) => readOwnPod(item) ?? [])
        .find(({ name }) => name === settings.pod);
      if (own === undefined)
        return fail(
          `there is no pod ${settings.pod} in ${settings.namespace}`,
          'set HAWSER_POD to metadata.name',
        );
      const { hosts } = wishesOf(own.annotations);
      if (hosts.kind !== 'slices') return judgeDownstreams(own, all);
      return judgeDownstreams(own, await listed(queryPath(slicesResource(own, hosts.labelSelector), {})));
    });
  },
};

/** What somebody on call asks about a pod proxy, in the order in which it is shown. */
export const podProxyChecks: readonly PodProxyCheck[] = [template, downstreams, haproxy, rbac];
