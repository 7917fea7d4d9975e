import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, type WriteLimits } from '../../engine/kube/ask-object.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import { type OwnPod, readOwnPod } from '../pod/pod.ts';
import { itemsOf, type Listed } from './downstreams.ts';

type Session = Pick<ApiSession, 'firstAnswer'>;

type FoundPod =
  | { readonly kind: 'own'; readonly pod: OwnPod; readonly all: Listed }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown'; readonly message: string };

export async function listed(session: Session, path: string, limits: WriteLimits): Promise<Listed> {
  const answer = await askObject(session, { method: 'GET', path }, limits);
  return answer.kind === 'object' ? itemsOf(answer.value) : answer;
}

/** The pod of the proxy, among all of its namespace: a right to list is what the proxy has. */
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
