import { type Finding, fail, ok, unknown, warn } from '../../engine/examine/check.ts';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import type { WriteLimits } from '../../engine/kube/ask-object.ts';
import { listObjects } from '../../engine/kube/list-objects.ts';
import type { Resource } from '../../engine/kube/resource.ts';
import { defaultTiming } from '../../engine/kube/timing.ts';
import { downstreamEndpoints, downstreamPods, hostsOf } from '../hosts.ts';
import { type OwnPod, type PodFacts, proxyNameOf } from '../pod/pod.ts';
import { ownPodResource, type SliceFacts } from '../resources.ts';

type Listed<T> = { readonly kind: 'listed'; readonly objects: readonly T[] } | ApiFailure;

const SELECTOR_REMEDY = 'write it as for kubectl get endpointslices -l SELECTOR';

export function judgeWrongSelector(message: string): Finding {
  return fail(message, SELECTOR_REMEDY);
}

/** Whether there are ready endpoints in the EndpointSlices that the annotation selects. */
export function judgeSlices(own: OwnPod, selector: string, found: Listed<SliceFacts>): Finding {
  if (found.kind === 'failure' && found.status === 400)
    return fail(
      `the API refuses the selector "${selector}" of hawser.dev/hosts: ${found.message}`,
      SELECTOR_REMEDY,
    );
  if (found.kind === 'failure') return unreadable(found.message);
  const slices = found.objects;
  const how = `kubectl -n ${own.namespace} get endpointslices -l '${selector}'`;
  if (slices.length === 0)
    return fail(`no EndpointSlice of ${own.namespace} has the labels "${selector}" of hawser.dev/hosts`, how);
  const hosts = hostsOf(downstreamEndpoints(own, slices));
  const services = slices.map(({ service }) => service);
  return judgeGroups(emptyGroups(services, hosts), Object.keys(hosts), how);
}

/** Whether there are ready pods among those that name the proxy, and why others are excluded. */
export function judgePods(own: OwnPod, found: Listed<PodFacts>): Finding {
  if (found.kind === 'failure') return unreadable(found.message);
  const proxy = proxyNameOf(own);
  const how = `kubectl -n ${own.namespace} get pods -o wide; each needs the annotation hawser.dev/master: ${proxy}.svc and the label app`;
  const behind = found.objects.filter(({ group }) => group !== own.group);
  if (behind.length === 0) return fail(`no pod of ${own.namespace} names ${proxy} as its master`, how);
  const nameless = behind.filter(({ group }) => group === undefined).map(({ name }) => name);
  if (nameless.length > 0)
    return warn(`${nameless.length} pods without the label app are in no group: ${brief(nameless)}`, how);
  const hosts = hostsOf(downstreamPods(own, behind));
  const groups = behind.flatMap(({ group }) => group ?? []);
  return judgeGroups(emptyGroups(groups, hosts), Object.keys(hosts), how);
}

export function unreadable(message: string): Finding {
  return unknown(message, 'see check pod-proxy-rbac');
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

/** Lists objects page by page, like the proxy itself. */
export async function listed<T>(
  session: Session,
  resource: Resource<T>,
  limits: WriteLimits,
): Promise<Listed<T>> {
  const ask = { ...limits, timing: defaultTiming };
  const result = await session.firstAnswer((target) => listObjects(target, resource, ask), limits.signal);
  if (result.kind === 'failure')
    return { ...result, message: `Cannot list ${resource.what}: ${result.message}` };
  return { kind: 'listed', objects: [...result.answer.objects.values()].map(({ value }) => value) };
}

type FoundPod =
  | { readonly kind: 'own'; readonly pod: OwnPod }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Reads the proxy's pod with a list of one, because the proxy may only list. */
export async function readOwn(
  session: Session,
  place: { readonly namespace: string; readonly pod: string },
  limits: WriteLimits,
): Promise<FoundPod> {
  const found = await listed(session, ownPodResource(place), limits);
  if (found.kind === 'failure') return { kind: 'unknown', message: found.message };
  const [pod] = found.objects;
  return pod === undefined ? { kind: 'missing' } : { kind: 'own', pod };
}
