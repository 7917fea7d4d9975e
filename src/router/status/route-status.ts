import type { Decision } from '../decide/decide.ts';
import { hostOf } from '../decide/host-of.ts';
import type { Route } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import {
  desiredIngress,
  type EntryWanted,
  ingressEntries,
  isOwn,
  type RouterIdentity,
  saysTheSame,
} from './ingress-entries.ts';
import type { StatusKind, WantedStatus, WantedStatuses } from './status-kind.ts';

/** A Route's status has an entry for each router that serves or refuses it. */
export function routeStatus(router: RouterIdentity): StatusKind<EntryWanted> {
  const ownOf = (route: unknown) => ingressEntries(route).find((entry) => isOwn(entry, router));
  return {
    what: 'Route',
    apiVersion: 'route.openshift.io/v1',
    plural: 'routes',
    keep: (route) => ({ status: { ingress: ingressEntries(route) } }),
    change: (route, wish, now) => {
      const ingress = desiredIngress(ingressEntries(route), wish, router, now);
      return ingress && { ingress };
    },
    isOurs: (route) => ownOf(route) !== undefined,
    isOverwritten: (before, after) => {
      const one = ownOf(before);
      const other = ownOf(after);
      return one !== undefined && other !== undefined && !saysTheSame(one, other);
    },
    isSameWish: (one, other) =>
      one.host === other.host &&
      one.wildcardPolicy === other.wildcardPolicy &&
      one.refusal?.reason === other.refusal?.reason &&
      one.refusal?.message === other.refusal?.message,
    remedies: {
      forbidden: 'expected a role that may patch routes/status',
      contended: 'expected one router of this name, or equal settings of all: --service-name',
    },
  };
}

/** The desired status of each Route, by key. `unproven` are the keys of Routes that HAProxy has not accepted yet. */
type StatusWishes = (
  decision: Pick<Decision, 'admission' | 'outside'>,
  unproven?: ReadonlySet<string>,
) => WantedStatuses<EntryWanted>;

/**
 * The desired status of an admitted Route follows from the Route, and is made once: decisions come often, and with ten thousand Routes. One that
 * HAProxy has not accepted yet keeps its status.
 */
export function createStatusWishes(policy: AdmissionPolicy): StatusWishes {
  const admitted = new WeakMap<Route, WantedStatus<EntryWanted>>();
  const wish = (
    { namespace, name, uid }: Route,
    entry: WantedStatus<EntryWanted>['entry'],
  ): WantedStatus<EntryWanted> => ({ namespace, name, uid, entry });
  const plain = (route: Route): EntryWanted => {
    try {
      return { host: hostOf(route, policy), wildcardPolicy: route.wildcardPolicy };
    } catch {
      // It is refused for that, and its status says so.
      return { host: '', wildcardPolicy: 'None' };
    }
  };
  const ofAdmitted = (route: Route): WantedStatus<EntryWanted> => {
    const made = admitted.get(route) ?? wish(route, plain(route));
    admitted.set(route, made);
    return made;
  };
  return ({ admission, outside }, unproven = none) => {
    const wanted: WantedStatuses<EntryWanted> = new Map();
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
