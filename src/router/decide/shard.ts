import { type Labels, selects } from '../../engine/kube/label-selector.ts';
import type { Namespace } from '../follow/namespace.ts';
import { bareRoute, type Route } from '../follow/route.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { internalError } from './verdict.ts';

interface Divided {
  /** This router's routes. A route that cannot be assigned because of an error is also in here, with the error. */
  readonly inside: readonly Route[];
  readonly outside: readonly Route[];
}

export function divide(routes: readonly Route[], isInside: (route: Route) => boolean): Divided {
  const inside: Route[] = [];
  const outside: Route[] = [];
  for (const route of routes) {
    try {
      (isInside(route) ? inside : outside).push(route);
    } catch (error) {
      inside.push(
        bareRoute(route, { ...(route.ingress && { ingress: route.ingress }), invalid: internalError(error) }),
      );
    }
  }
  return { inside, outside };
}

export type ShardSettings = Pick<
  RouterSettings,
  'namespace' | 'namespaceLabels' | 'projectLabels' | 'routeFields'
>;

/**
 * Whether a route belongs to this router, by its fields and its namespace; its labels were matched when it was read. Every configured condition
 * must hold. If namespaces are selected by labels, a route in an unknown namespace belongs to another router.
 */
export function shardOf(
  settings: ShardSettings,
  namespaces: readonly Namespace[],
): (route: Route) => boolean {
  const { routeFields } = settings;
  const isOwn = ownNamespaces(settings, namespaces);
  return (route) =>
    isOwn(route.namespace) && (routeFields === undefined || selects(routeFields, fieldsOf(route)));
}

/** Whether the routes of a namespace can belong to this router. */
export function ownNamespaces(
  { namespace, namespaceLabels, projectLabels }: ShardSettings,
  namespaces: readonly Namespace[],
): (name: string) => boolean {
  const selectors = [namespaceLabels, projectLabels].filter((each) => each !== undefined);
  const own = namespaces.filter(({ labels }) => selectors.every((selector) => selects(selector, labels)));
  const names = selectors.length === 0 ? undefined : new Set(own.map((each) => each.name));
  return (name) => (namespace === undefined || name === namespace) && names?.has(name) !== false;
}

/** For a path of an Ingress, `metadata.name` is the Ingress's name. */
function fieldsOf({ name, ingress, namespace, host, path, services }: Route): Labels {
  return {
    'metadata.name': ingress ?? name,
    'metadata.namespace': namespace,
    'spec.host': host,
    'spec.path': path,
    'spec.to.name': services[0]?.name ?? '',
  };
}
