/** A kind of object that the stand-in serves. */
export interface ServedResource {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  /** Defined by a CustomResourceDefinition: the items of a list have kind and apiVersion. */
  readonly isCustom?: true;
  /** Only objects in this namespace. */
  readonly namespace?: string;
}

/** What a path of the API addresses. */
export interface Addressed {
  readonly resource: ServedResource;
  /** Left out for the collection. */
  readonly name?: string;
  readonly isStatus: boolean;
}

const kinds: readonly ServedResource[] = [
  { kind: 'Node', apiVersion: 'v1', plural: 'nodes' },
  { kind: 'Pod', apiVersion: 'v1', plural: 'pods' },
  { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' },
  { kind: 'Event', apiVersion: 'v1', plural: 'events' },
  { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices' },
  { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', plural: 'leases' },
  { kind: 'Route', apiVersion: 'route.openshift.io/v1', plural: 'routes', isCustom: true },
  { kind: 'Ingress', apiVersion: 'networking.k8s.io/v1', plural: 'ingresses' },
  { kind: 'Service', apiVersion: 'v1', plural: 'services' },
  { kind: 'Endpoints', apiVersion: 'v1', plural: 'endpoints' },
  { kind: 'Namespace', apiVersion: 'v1', plural: 'namespaces' },
  { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' },
  { kind: 'ReplicaSet', apiVersion: 'apps/v1', plural: 'replicasets' },
  { kind: 'DNSEndpoint', apiVersion: 'externaldns.k8s.io/v1alpha1', plural: 'dnsendpoints', isCustom: true },
];

const shape =
  /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(\/status)?$/;

/** Undefined for a path that the stand-in does not serve. */
export function addressOf(path: string): Addressed | undefined {
  const [, core, group, namespace, plural, name, subresource] = shape.exec(path) ?? [];
  const found = kinds.find((each) => each.plural === plural && each.apiVersion === (core ?? group));
  if (found === undefined) return undefined;
  return {
    resource: { ...found, ...(namespace !== undefined && { namespace: decodeURIComponent(namespace) }) },
    ...(name !== undefined && { name: decodeURIComponent(name) }),
    isStatus: subresource !== undefined,
  };
}

/** Undefined for the core group. */
export function groupOf({ apiVersion }: Pick<ServedResource, 'apiVersion'>): string | undefined {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? undefined : group;
}

/** `nodes`, `leases.coordination.k8s.io`: how the API names a kind in its messages. */
export function resourceName(resource: ServedResource): string {
  const group = groupOf(resource);
  return group === undefined ? resource.plural : `${resource.plural}.${group}`;
}

/** A path in a group without any kind. */
export function isUnknownGroup(path: string): boolean {
  const [, group] = /^\/apis\/([^/]+)\//.exec(path) ?? [];
  return group !== undefined && !kinds.some((each) => groupOf(each) === group);
}

/** The answer to `GET /apis/GROUP/VERSION` for the known kinds; undefined for a group without any. */
export function discoveryOf(path: string): object | undefined {
  const [, groupVersion] = /^\/apis\/([^/]+\/[^/]+)$/.exec(path) ?? [];
  const found = kinds.filter(({ apiVersion }) => apiVersion === groupVersion);
  if (found.length === 0) return undefined;
  const resources = found.map(({ kind, plural: name }) => ({ name, kind, namespaced: true }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}
