import type { Namespace } from '../objects/namespace.ts';
import type { Route } from '../objects/route.ts';
import { type Labels, selects } from '../selectors/label-selector.ts';
import type { RouterSettings } from '../settings/router-settings.ts';

type ShardSettings = Pick<RouterSettings, 'namespace' | 'namespaceLabels' | 'projectLabels' | 'routeFields'>;

/**
 * Whether a route is this router's, by its fields and its namespace; its labels were looked at when it was read. All that
 * is set must hold. With labels of namespaces, a route whose namespace is not known is another router's.
 */
export function shardOf(
  settings: ShardSettings,
  namespaces: readonly Namespace[],
): (route: Route) => boolean {
  const { namespace, namespaceLabels, projectLabels, routeFields } = settings;
  const selectors = [namespaceLabels, projectLabels].filter((each) => each !== undefined);
  const own = namespaces.filter(({ labels }) => selectors.every((selector) => selects(selector, labels)));
  const names = selectors.length === 0 ? undefined : new Set(own.map(({ name }) => name));
  return (route) =>
    (namespace === undefined || route.namespace === namespace) &&
    names?.has(route.namespace) !== false &&
    (routeFields === undefined || selects(routeFields, fieldsOf(route)));
}

/** Of a path of an Ingress, the name is the Ingress's. */
function fieldsOf({ name, ingress, namespace, host, path, services }: Route): Labels {
  return {
    'metadata.name': ingress ?? name,
    'metadata.namespace': namespace,
    'spec.host': host,
    'spec.path': path,
    'spec.to.name': services[0]?.name ?? '',
  };
}
