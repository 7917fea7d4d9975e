import { oncePer } from '../../engine/system/once-per.ts';
import type { Route } from '../follow/route.ts';
import type { AdmissionPolicy } from '../settings/decision-settings.ts';
import type { AskedPlace } from './asked-places.ts';
import { hostOf } from './host-of.ts';
import type { SettledPlace } from './settle-places.ts';

interface HeldPlaces {
  /** The indices of the routes that already hold the host they ask for. */
  readonly held: (routes: readonly Route[], asked: readonly AskedPlace[]) => readonly number[];
  /** What was settled of these routes. */
  readonly settled: (routes: readonly Route[], places: readonly SettledPlace[]) => void;
}

/**
 * Who holds a host already. Of a Route its status says so, in the entry of this router: every replica reads the same, also one that has just started,
 * and tenants cannot write it. Of an Ingress the API has nothing that says so and that its tenant cannot write: this process remembers which hosts
 * each one had in the last settlement, and a router that has just started goes by age alone.
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
    settled: (routes, places) => {
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
