import { isDeepStrictEqual } from 'node:util';
import { oncePer } from '../../engine/system/once-per.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { Route } from '../follow/route.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import type { AskedPlace } from './asked-places.ts';
import { createHostClaims } from './host-claims.ts';
import { hostOf } from './host-of.ts';
import type { Refusal } from './verdict.ts';

/** A route's place; `refusal` is undefined if the route gets it. */
export interface AwardedPlace {
  readonly asked: AskedPlace;
  readonly refusal: Refusal | undefined;
  /** Its index in the list of claims. */
  readonly index: number;
}

/**
 * Who gets what, in the order of the keys. Claims that already hold their hosts (`held`, by index) come first, then the others; each group oldest
 * first. A host that is served cannot be taken by editing an older object to ask for it.
 */
export function awardPlaces(
  all: readonly AskedPlace[],
  held: ReadonlySet<number>,
  namespaceOwnership: boolean,
): readonly AwardedPlace[] {
  const claims = createHostClaims(namespaceOwnership);
  const keys = new Set<string>();
  const awarded = all
    .map((asked, index) => ({ asked, index }))
    .sort((a, b) => Number(held.has(b.index)) - Number(held.has(a.index)) || olderFirst(a.asked, b.asked))
    .map(({ asked, index }): AwardedPlace => {
      const refusal = (keys.has(asked.key) ? twice : asked.refusal) ?? claims.claim(asked);
      keys.add(asked.key);
      return { asked, refusal, index };
    });
  return awarded.sort((a, b) => compareText(a.asked.key, b.asked.key));
}

/** Whether two lists are equal by value. */
export function isSameEach(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length === other.length &&
    one.every((each, index) => each === other[index] || isDeepStrictEqual(each, other[index]))
  );
}

const twice: Refusal = { reason: 'RouteNotAdmitted', message: 'another object has the same name' };

function olderFirst(a: AskedPlace, b: AskedPlace): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(a.key, b.key);
}

interface HeldPlaces {
  /** The indices of the routes that already hold the host they ask for. */
  readonly held: (routes: readonly Route[], asked: readonly AskedPlace[]) => readonly number[];
  /** The result for these routes. */
  readonly awarded: (routes: readonly Route[], places: readonly AwardedPlace[]) => void;
}

/**
 * Who holds a host already. Of a Route its status says so, in the entry of this router: every replica reads the same, also one that has just started,
 * and tenants cannot write it. Of an Ingress the API has nothing that says so and that its tenant cannot write: this process remembers which hosts
 * each one had in the last award, and a router that has just started goes by age alone.
 */
export function createHeldPlaces(policy: AdmissionPolicy): HeldPlaces {
  const byStatus = oncePer((route: Route) => saysSo(route, policy));
  let ingressHosts: ReadonlySet<string> = new Set();
  const isHeld = (route: Route, place: AskedPlace | undefined): boolean => {
    if (place === undefined) return false;
    if (route.ingress !== undefined) return ingressHosts.has(ingressHost(route, place));
    return route.held !== undefined && byStatus(route);
  };
  return {
    held: (routes, asked) => routes.flatMap((route, index) => (isHeld(route, asked[index]) ? [index] : [])),
    awarded: (routes, places) => {
      const hosts = new Set<string>();
      for (const { asked, refusal, index } of places) {
        const route = routes[index];
        if (route?.ingress !== undefined && refusal === undefined) hosts.add(ingressHost(route, asked));
      }
      ingressHosts = hosts;
    },
  };
}

/** An object of the same name that was created later has another UID. */
function ingressHost({ namespace, ingress = '', uid }: Route, { host, wildcard }: AskedPlace): string {
  return JSON.stringify([namespace, ingress, uid, host, wildcard]);
}

function saysSo(route: Route, policy: AdmissionPolicy): boolean {
  const isOwn = route.held?.some(
    ({ router, host, wildcardPolicy }) =>
      router === policy.routerName &&
      wildcardPolicy === route.wildcardPolicy &&
      host === hostOf(route, policy),
  );
  return isOwn === true;
}
