import * as z from 'zod/mini';
import { type Finding, fail, ok, unknown, warn } from '../../engine/examine/check.ts';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, type WriteLimits } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import { downstreamEndpoints, downstreamPods, hostsOf } from '../hosts.ts';
import { type OwnPod, type PodFacts, proxyNameOf, readOwnPod, readPod } from '../pod/pod.ts';
import { requestsIn } from '../requests.ts';
import { readSlice } from '../resources.ts';

/** All pods of the namespace, or the EndpointSlices that the annotation selects, or the API's refusal. */
type Listed =
  | { readonly kind: 'listed'; readonly items: readonly unknown[] }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | ApiFailure;

const list = z.object({ items: z.array(z.unknown()) });

function itemsOf(value: unknown): Listed {
  const { data } = list.safeParse(value);
  return data === undefined
    ? { kind: 'failure', status: undefined, message: 'the answer is not a list' }
    : { kind: 'listed', items: data.items };
}

/** Whether there are ready pods behind the proxy, and why others are excluded. */
export function judgeDownstreams(own: OwnPod, found: Listed): Finding {
  const { hosts } = requestsIn(own.annotations);
  if (hosts.kind === 'wrong')
    return fail(hosts.message, 'write it as for kubectl get endpointslices -l SELECTOR');
  if (found.kind === 'refused' && found.status === 400 && hosts.kind === 'slices')
    return fail(
      `the API refuses the selector "${hosts.labelSelector}" of hawser.dev/hosts: ${found.message}`,
      'write it as for kubectl get endpointslices -l SELECTOR',
    );
  if (found.kind !== 'listed') return unknown(found.message, 'see check pod-proxy-rbac');
  return hosts.kind === 'slices'
    ? judgeSlices(own, hosts.labelSelector, found.items)
    : judgePods(
        own,
        found.items.flatMap((item) => readPod(item) ?? []),
      );
}

function judgeSlices(own: OwnPod, selector: string, items: readonly unknown[]): Finding {
  const slices = items.flatMap((item) => readSlice(item) ?? []);
  const how = `kubectl -n ${own.namespace} get endpointslices -l '${selector}'`;
  if (slices.length === 0)
    return fail(`no EndpointSlice of ${own.namespace} has the labels "${selector}" of hawser.dev/hosts`, how);
  const hosts = hostsOf(downstreamEndpoints(own, slices));
  const services = slices.map(({ service }) => service);
  return judgeGroups(emptyGroups(services, hosts), Object.keys(hosts), how);
}

function judgePods(own: OwnPod, pods: readonly PodFacts[]): Finding {
  const proxy = proxyNameOf(own);
  const how = `kubectl -n ${own.namespace} get pods -o wide; each needs the annotation hawser.dev/master: ${proxy}.svc and the label app`;
  const behind = pods.filter(({ master, group }) => master === proxy && group !== own.group);
  if (behind.length === 0) return fail(`no pod of ${own.namespace} names ${proxy} as its master`, how);
  const nameless = behind.filter(({ group }) => group === undefined).map(({ name }) => name);
  if (nameless.length > 0)
    return warn(`${nameless.length} pods without the label app are in no group: ${brief(nameless)}`, how);
  const hosts = hostsOf(downstreamPods(own, behind));
  const groups = behind.flatMap(({ group }) => group ?? []);
  return judgeGroups(emptyGroups(groups, hosts), Object.keys(hosts), how);
}

function emptyGroups(groups: readonly string[], hosts: Readonly<Record<string, readonly string[]>>) {
  return [...new Set(groups)].filter((group) => !Object.hasOwn(hosts, group));
}

function judgeGroups(empty: readonly string[], served: readonly string[], how: string): Finding {
  if (served.length === 0) return fail(`no pod of ${brief(empty)} is ready`, how);
  if (empty.length > 0) return warn(`groups without a ready pod: ${brief(empty)}`, how);
  return ok(`every group has a ready pod: ${brief(served)}`);
}

function brief(names: readonly string[]): string {
  const more = names.length - 5;
  return `${names.slice(0, 5).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

type Session = Pick<ApiSession, 'firstAnswer'>;

type FoundPod =
  | { readonly kind: 'own'; readonly pod: OwnPod; readonly all: Listed }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown'; readonly message: string };

export async function listed(session: Session, path: string, limits: WriteLimits): Promise<Listed> {
  const answer = await askObject(session, { method: 'GET', path }, limits);
  return answer.kind === 'object' ? itemsOf(answer.value) : answer;
}

/** Reads the proxy's pod by listing all pods of the namespace, because the proxy may only list. */
export async function readOwn(
  session: Session,
  { namespace, pod }: { readonly namespace: string; readonly pod: string },
  limits: WriteLimits,
): Promise<FoundPod> {
  const all = await listed(session, pathOf({ apiVersion: 'v1', plural: 'pods', namespace }), limits);
  if (all.kind !== 'listed') return { kind: 'unknown', message: all.message };
  const own = all.items.flatMap((item) => readOwnPod(item) ?? []).find(({ name }) => name === pod);
  return own === undefined ? { kind: 'missing' } : { kind: 'own', pod: own, all };
}
