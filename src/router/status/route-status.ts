import type { Decision } from '../decide/decide.ts';
import { hostOf } from '../decide/host-of.ts';
import type { Route } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import {
  areEqualEntries,
  type DesiredEntry,
  desiredIngress,
  ingressEntries,
  isOwn,
  type RouterIdentity,
} from './ingress-entries.ts';
import type { DesiredStatus, DesiredStatuses, StatusKind } from './status-kind.ts';

/** The status of a Route, which has an entry for each router that serves or refuses it. */
export function routeStatus(router: RouterIdentity): StatusKind<DesiredEntry> {
  const ownOf = (route: unknown) => ingressEntries(route).find((entry) => isOwn(entry, router));
  return {
    what: 'Route',
    apiVersion: 'route.openshift.io/v1',
    plural: 'routes',
    keep: (route) => ({ status: { ingress: ingressEntries(route) } }),
    change: (route, desired, now) => {
      const ingress = desiredIngress(ingressEntries(route), desired, router, now);
      return ingress && { ingress };
    },
    isOurs: (route) => ownOf(route) !== undefined,
    isOverwritten: (before, after) => {
      const one = ownOf(before);
      const other = ownOf(after);
      return one !== undefined && other !== undefined && !areEqualEntries(one, other);
    },
    isSameEntry: (one, other) =>
      one.host === other.host &&
      one.wildcardPolicy === other.wildcardPolicy &&
      one.refusal?.reason === other.refusal?.reason &&
      one.refusal?.message === other.refusal?.message,
    remedies: {
      forbidden: 'expected a role that allows patching routes/status',
      contended: 'expected one router with this name, or equal settings for all of them: --service-name',
    },
  };
}

/** Returns the desired status of each Route, by key. `unproven` contains the keys of Routes that HAProxy has not accepted yet. */
type DesiredRouteStatuses = (
  decision: Pick<Decision, 'admission' | 'outside'>,
  unproven?: ReadonlySet<string>,
) => DesiredStatuses<DesiredEntry>;

/**
 * The desired status of an admitted Route depends only on the Route and is cached, since decisions are frequent and may cover ten thousand Routes. A
 * Route that HAProxy has not accepted yet keeps its status.
 */
export function createDesiredRouteStatuses(policy: AdmissionPolicy): DesiredRouteStatuses {
  const admitted = new WeakMap<Route, DesiredStatus<DesiredEntry>>();
  const statusOf = (
    { namespace, name, uid }: Route,
    entry: DesiredStatus<DesiredEntry>['entry'],
  ): DesiredStatus<DesiredEntry> => ({ namespace, name, uid, entry });
  const entryFor = (route: Route): DesiredEntry => {
    try {
      return { host: hostOf(route, policy), wildcardPolicy: route.wildcardPolicy };
    } catch {
      // Such a route is refused, and its status has the error.
      return { host: '', wildcardPolicy: 'None' };
    }
  };
  const ofAdmitted = (route: Route): DesiredStatus<DesiredEntry> => {
    const status = admitted.get(route) ?? statusOf(route, entryFor(route));
    admitted.set(route, status);
    return status;
  };
  return ({ admission, outside }, unproven = none) => {
    const statuses: DesiredStatuses<DesiredEntry> = new Map();
    for (const route of outside)
      if (route.ingress === undefined) statuses.set(keyOf(route), statusOf(route, undefined));
    for (const { route, key } of admission.admitted)
      if (route.ingress === undefined)
        statuses.set(key, unproven.has(key) ? statusOf(route, 'unchanged') : ofAdmitted(route));
    for (const { route, key, reason, message } of admission.rejected)
      if (route.ingress === undefined)
        statuses.set(key, statusOf(route, { ...entryFor(route), refusal: { reason, message } }));
    return statuses;
  };
}

const none: ReadonlySet<string> = new Set();
