import type { Decision } from '../decide/decide.ts';
import { hostOf } from '../decide/host-of.ts';
import type { Route } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import type { AdmissionPolicy } from '../settings/admission-policy.ts';
import type { EntryWanted } from './ingress-entries.ts';

/** What the status of one Route is to say. */
export interface WantedStatus {
  readonly namespace: string;
  readonly name: string;
  /** A Route of the same name that was created later is another one. */
  readonly uid: string;
  /** Undefined if the Route is another router's. `as-it-is` until it is known whether HAProxy takes the Route. */
  readonly entry: EntryWanted | 'as-it-is' | undefined;
}

/** The desired status of each Route, by key. `unproven` are the keys of Routes that HAProxy has not accepted yet. */
type StatusWishes = (
  decision: Pick<Decision, 'admission' | 'outside'>,
  unproven?: ReadonlySet<string>,
) => Map<string, WantedStatus>;

/**
 * An Ingress gets no status: its status has a load balancer's address, which the router does not know, and no place for a reason. The desired
 * status of an admitted Route follows from the Route, and is made once: decisions come often, and with ten thousand Routes.
 */
export function createStatusWishes(policy: AdmissionPolicy): StatusWishes {
  const admitted = new WeakMap<Route, WantedStatus>();
  const wish = ({ namespace, name, uid }: Route, entry: WantedStatus['entry']): WantedStatus => ({
    namespace,
    name,
    uid,
    entry,
  });
  const plain = (route: Route): EntryWanted => {
    try {
      return { host: hostOf(route, policy), wildcardPolicy: route.wildcardPolicy };
    } catch {
      // It is refused for that, and its status says so.
      return { host: '', wildcardPolicy: 'None' };
    }
  };
  const ofAdmitted = (route: Route): WantedStatus => {
    const made = admitted.get(route) ?? wish(route, plain(route));
    admitted.set(route, made);
    return made;
  };
  return ({ admission, outside }, unproven = none) => {
    const wanted = new Map<string, WantedStatus>();
    for (const route of outside)
      if (route.ingress === undefined) wanted.set(keyOf(route), wish(route, undefined));
    for (const { route, key } of admission.admitted)
      if (route.ingress === undefined)
        wanted.set(key, unproven.has(key) ? wish(route, 'as-it-is') : ofAdmitted(route));
    for (const { route, key, reason, message } of admission.rejected)
      if (route.ingress === undefined)
        wanted.set(key, wish(route, { ...plain(route), refusal: { reason, message } }));
    return wanted;
  };
}

const none: ReadonlySet<string> = new Set();

export function isSameWish(one: WantedStatus | undefined, other: WantedStatus): boolean {
  if (one === other) return true;
  if (one === undefined || one.uid !== other.uid) return false;
  const [a, b] = [one.entry, other.entry];
  if (a === 'as-it-is' || b === 'as-it-is') return a === b;
  return (
    (a === undefined) === (b === undefined) &&
    a?.host === b?.host &&
    a?.wildcardPolicy === b?.wildcardPolicy &&
    a?.refusal?.reason === b?.refusal?.reason &&
    a?.refusal?.message === b?.refusal?.message
  );
}
