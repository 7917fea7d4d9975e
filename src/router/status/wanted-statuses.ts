import type { AdmissionPolicy } from '../admission/admission-policy.ts';
import { hostOf } from '../admission/host-of.ts';
import type { Decision } from '../decide/decide.ts';
import { keyOf } from '../objects/metadata.ts';
import type { Route } from '../objects/route.ts';
import type { EntryWanted } from './ingress-entries.ts';

/** What the status of one Route is to say. */
export interface WantedStatus {
  readonly namespace: string;
  readonly name: string;
  /** A Route of the same name that was created later is another one. */
  readonly uid: string;
  /** Undefined where the Route is another router's. */
  readonly entry: EntryWanted | undefined;
}

/**
 * By key. An Ingress is left alone: its status has a load balancer's address, which the router does not know, and no place
 * for a reason.
 */
export function wantedStatuses(
  { admission, outside }: Pick<Decision, 'admission' | 'outside'>,
  policy: AdmissionPolicy,
): Map<string, WantedStatus> {
  const wanted = new Map<string, WantedStatus>();
  const want = (route: Route, entry: EntryWanted | undefined): void => {
    const { namespace, name, uid, ingress } = route;
    if (ingress === undefined) wanted.set(keyOf(route), { namespace, name, uid, entry });
  };
  const plain = (route: Route) => ({ host: hostOf(route, policy), wildcardPolicy: route.wildcardPolicy });
  for (const route of outside) want(route, undefined);
  for (const { route } of admission.admitted) want(route, plain(route));
  for (const { route, reason, message } of admission.rejected)
    want(route, { ...plain(route), refusal: { reason, message } });
  return wanted;
}

export function isSameWish(one: WantedStatus | undefined, other: WantedStatus): boolean {
  if (one === undefined || one.uid !== other.uid) return false;
  const [a, b] = [one.entry, other.entry];
  return (
    (a === undefined) === (b === undefined) &&
    a?.host === b?.host &&
    a?.wildcardPolicy === b?.wildcardPolicy &&
    a?.refusal?.reason === b?.refusal?.reason &&
    a?.refusal?.message === b?.refusal?.message
  );
}
