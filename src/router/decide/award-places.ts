import { isDeepStrictEqual } from 'node:util';
import { oncePer } from '../../engine/system/once-per.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { Route } from '../follow/route.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import { createHostClaims } from './host-claims.ts';
import { hostOf } from './host-of.ts';
import type { RequestedPlace } from './requested-places.ts';
import type { Refusal } from './verdict.ts';

/** The result for one requested place; `refusal` is undefined if the route gets it. */
export interface AwardedPlace {
  readonly requested: RequestedPlace;
  readonly refusal: Refusal | undefined;
  /** The index in the list of requests. */
  readonly index: number;
}

/**
 * Awards hosts and paths, and returns the results sorted by key. Routes that already hold their hosts (`held`, by index) come first, then all
 * others, each group oldest first. So nobody can take over a served host by editing an older object to request it.
 */
export function awardPlaces(
  all: readonly RequestedPlace[],
  held: ReadonlySet<number>,
  namespaceOwnership: boolean,
): readonly AwardedPlace[] {
  const claims = createHostClaims(namespaceOwnership);
  const keys = new Set<string>();
  const awarded = all
    .map((requested, index) => ({ requested, index }))
    .sort(
      (a, b) => Number(held.has(b.index)) - Number(held.has(a.index)) || olderFirst(a.requested, b.requested),
    )
    .map(({ requested, index }): AwardedPlace => {
      const refusal =
        (keys.has(requested.key) ? duplicateName : requested.refusal) ?? claims.claim(requested);
      keys.add(requested.key);
      return { requested, refusal, index };
    });
  return awarded.sort((a, b) => compareText(a.requested.key, b.requested.key));
}

/** Whether two lists have equal values. */
export function areEqualLists(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length === other.length &&
    one.every((each, index) => each === other[index] || isDeepStrictEqual(each, other[index]))
  );
}

const duplicateName: Refusal = { reason: 'RouteNotAdmitted', message: 'another object has the same name' };

function olderFirst(a: RequestedPlace, b: RequestedPlace): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(a.key, b.key);
}

interface HeldPlaces {
  /** The indices of the routes that already hold the host that they request. */
  readonly held: (routes: readonly Route[], requested: readonly RequestedPlace[]) => readonly number[];
  /** Records the result for these routes. */
  readonly awarded: (routes: readonly Route[], places: readonly AwardedPlace[]) => void;
}

/**
 * Tracks which routes already hold a host. For a Route, this router's entry in its status is the record: every replica reads the same status, also
 * after a restart, and tenants must not be able to write it (docs/threat-model.md). For an Ingress, the API has no such record: this process remembers the hosts of the last award,
 * and a restarted router goes by age alone.
 */
export function createHeldPlaces(policy: AdmissionPolicy): HeldPlaces {
  const byStatus = oncePer((route: Route) => holdsByStatus(route, policy));
  let ingressHosts: ReadonlySet<string> = new Set();
  const isHeld = (route: Route, place: RequestedPlace | undefined): boolean => {
    if (place === undefined) return false;
    if (route.ingress !== undefined) return ingressHosts.has(ingressHost(route, place));
    return route.held !== undefined && byStatus(route);
  };
  return {
    held: (routes, requested) =>
      routes.flatMap((route, index) => (isHeld(route, requested[index]) ? [index] : [])),
    awarded: (routes, places) => {
      const hosts = new Set<string>();
      for (const { requested, refusal, index } of places) {
        const route = routes[index];
        if (route?.ingress !== undefined && refusal === undefined) hosts.add(ingressHost(route, requested));
      }
      ingressHosts = hosts;
    },
  };
}

/** Includes the UID, since a recreated object has the same name but another UID. */
function ingressHost({ namespace, ingress = '', uid }: Route, { host, wildcard }: RequestedPlace): string {
  return JSON.stringify([namespace, ingress, uid, host, wildcard]);
}

function holdsByStatus(route: Route, policy: AdmissionPolicy): boolean {
  const isOwn = route.held?.some(
    ({ router, host, wildcardPolicy }) =>
      router === policy.routerName &&
      wildcardPolicy === route.wildcardPolicy &&
      host === hostOf(route, policy),
  );
  return isOwn === true;
}
