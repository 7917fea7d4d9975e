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
  /** An Ingress of which only some paths fit contains only those. */
  readonly ingresses: readonly Ingress[];
  /** One entry for each Route over the limit, and one for each Ingress with a path over the limit. */
  readonly rejected: readonly RejectedRoute[];
}

/**
 * Limits the routes per namespace, for successive lists: the oldest Routes and Ingresses are kept up to the limit. The others are rejected before
 * any further work is done for them, and claim no host.
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

/** The objects of each namespace that exceeds the limit. */
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

/** How many routes an object produces. An unreadable object counts as one, which is rejected later. */
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
    message: `namespace ${object.namespace} has more than ${most} Routes and Ingress paths, the limit of a namespace: ${what}`,
  };
}

function olderFirst(a: Identity, b: Identity): number {
  return a.createdMs - b.createdMs || compareText(a.uid, b.uid) || compareText(a.name, b.name);
}
