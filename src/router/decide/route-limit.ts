import { oncePer } from '../../engine/system/once-per.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { Ingress } from '../follow/ingress.ts';
import { bareRoute, type Route } from '../follow/route.ts';
import { type Identity, keyOf } from '../metadata.ts';
import { ingressIdentity } from './ingress-routes.ts';
import { kindOf } from './tls-rules.ts';
import type { RejectedRoute } from './verdict.ts';

interface Limited {
  readonly routes: readonly Route[];
  /** One that has room for some of its paths has these alone. */
  readonly ingresses: readonly Ingress[];
  /** One for each Route that is over the limit, and one for each Ingress of which a path is. */
  readonly rejected: readonly RejectedRoute[];
}

/**
 * The Routes and Ingresses of each namespace that make as many routes as a namespace may have, the oldest first, for one list after another. The
 * others are refused before any work is done for them, and take no host.
 */
export function createRouteLimit(
  most: number,
): (routes: readonly Route[], ingresses: readonly Ingress[]) => Limited {
  const refusedOf = oncePer((object: Route | Ingress) => rejectedOf(object, most));
  const parts = new WeakMap<Ingress, Ingress>();
  const partOf = (ingress: Ingress, room: number): Ingress => {
    const before = parts.get(ingress);
    if (before?.paths.length === room) return before;
    const part = { ...ingress, paths: ingress.paths.slice(0, room), hasDefaultBackend: false };
    parts.set(ingress, part);
    return part;
  };
  return (routes, ingresses) => {
    const crowded = crowdedNamespaces([...routes, ...ingresses], most);
    if (crowded.size === 0) return { routes, ingresses, rejected: [] };
    const rejected: RejectedRoute[] = [];
    const used = new Map<Route | Ingress, Route | Ingress>();
    for (const objects of crowded.values()) {
      let room = most;
      for (const object of objects.toSorted(olderFirst)) {
        const size = sizeOf(object);
        if (size > room) rejected.push(refusedOf(object));
        if (size <= room) used.set(object, object);
        else if ('paths' in object && room > 0) used.set(object, partOf(object, room));
        room = Math.max(0, room - size);
      }
    }
    const isCrowded = ({ namespace }: Identity): boolean => crowded.has(namespace);
    return {
      routes: routes.filter((route) => !isCrowded(route) || used.has(route)),
      ingresses: ingresses.flatMap((ingress) => {
        const part = isCrowded(ingress) ? used.get(ingress) : ingress;
        return part !== undefined && 'paths' in part ? [part] : [];
      }),
      rejected,
    };
  };
}

/** The objects of the namespaces that have too many. */
function crowdedNamespaces(
  objects: readonly (Route | Ingress)[],
  most: number,
): ReadonlyMap<string, readonly (Route | Ingress)[]> {
  const counts = new Map<string, number>();
  for (const object of objects)
    counts.set(object.namespace, (counts.get(object.namespace) ?? 0) + sizeOf(object));
  const isCrowded = ({ namespace }: Identity): boolean => (counts.get(namespace) ?? 0) > most;
  return Map.groupBy(objects.filter(isCrowded), ({ namespace }) => namespace);
}

/** How many routes an object makes. One that cannot be read makes one, which is rejected. */
function sizeOf(object: Route | Ingress): number {
  try {
    return 'paths' in object ? object.paths.length + (object.hasDefaultBackend ? 1 : 0) : 1;
  } catch {
    return 1;
  }
}

function rejectedOf(object: Route | Ingress, most: number): RejectedRoute {
  const isIngress = 'paths' in object;
  const route = isIngress ? bareRoute(ingressIdentity(object, 'limit'), { ingress: object.name }) : object;
  const what = isIngress ? 'paths of this Ingress are left out' : 'the oldest are served';
  return {
    route,
    key: keyOf(route),
    kind: kindOf(route.tls) ?? 'http',
    host: route.host,
    path: route.path,
    wildcard: route.wildcardPolicy === 'Subdomain',
    pathMatch: route.pathMatch,
    reason: 'RouteNotAdmitted',
    message: `namespace ${object.namespace} has more than ${most} Routes and paths of Ingresses, the most of a namespace: ${what}`,
  };
}

function olderFirst(a: Identity, b: Identity): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(a.name, b.name);
}
