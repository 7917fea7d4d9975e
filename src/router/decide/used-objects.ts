import { changedSpan } from '../../engine/system/same-list.ts';
import type { Ingress } from '../follow/ingress.ts';
import type { Namespace } from '../follow/namespace.ts';
import type { Route } from '../follow/route.ts';
import { keyOf } from '../metadata.ts';
import { ownNamespaces, type ShardSettings } from './shard.ts';

interface Users {
  readonly routes: readonly Route[];
  /** Earlier versions of Routes that are still served. */
  readonly served: readonly Route[];
  readonly ingresses: readonly Ingress[];
  readonly namespaces: readonly Namespace[];
}

export interface UsedObjects {
  readonly hasService: (namespace: string, name: string) => boolean;
  readonly hasSecret: (namespace: string, name: string) => boolean;
}

/**
 * Which Services and Secrets the routes of this router name, admitted or not, for successive lists. The result may include objects of routes that
 * a shard by fields excludes, but never misses one.
 */
export function createUsedObjects(
  settings: ShardSettings & { readonly ingressClass?: string | undefined },
): (users: Users) => UsedObjects {
  const ofRoutes = createNameCounts(namesInRoute);
  const ofServed = createNameCounts(namesInRoute);
  const ofIngresses = createNameCounts((ingress: Ingress) =>
    ingress.className === settings.ingressClass ? namesInIngress(ingress) : [],
  );
  let own: { readonly of: readonly Namespace[]; readonly isOwn: (name: string) => boolean } | undefined;
  return ({ routes, served, ingresses, namespaces }) => {
    ofRoutes.update(routes);
    ofServed.update(served);
    ofIngresses.update(ingresses);
    if (own?.of !== namespaces) own = { of: namespaces, isOwn: ownNamespaces(settings, namespaces) };
    const { isOwn } = own;
    const has = (kind: Kind, namespace: string, name: string): boolean => {
      const key = nameOf(kind, namespace, name);
      return isOwn(namespace) && [ofRoutes, ofServed, ofIngresses].some((names) => names.has(key));
    };
    return {
      hasService: (namespace, name) => has('service', namespace, name),
      hasSecret: (namespace, name) => has('secret', namespace, name),
    };
  };
}

type Kind = 'service' | 'secret';

function nameOf(kind: Kind, namespace: string, name: string): string {
  return `${kind} ${keyOf({ namespace, name })}`;
}

function namesInRoute({ namespace, services, tls }: Route): readonly string[] {
  const secrets = [tls?.secret, tls?.destinationCaSecret].filter((each) => each !== undefined);
  return [
    ...services.map(({ name }) => nameOf('service', namespace, name)),
    ...secrets.map((name) => nameOf('secret', namespace, name)),
  ];
}

function namesInIngress({ namespace, paths, tls, annotations }: Ingress): readonly string[] {
  const services = paths.flatMap(({ service }) => service?.name ?? []);
  const authority = annotations['route.openshift.io/destination-ca-certificate-secret'];
  const secrets = [
    ...tls.flatMap(({ secret }) => secret ?? []),
    ...(authority === undefined ? [] : [authority]),
  ];
  return [
    ...services.map((name) => nameOf('service', namespace, name)),
    ...secrets.map((name) => nameOf('secret', namespace, name)),
  ];
}

interface NameCounts<T> {
  readonly update: (list: readonly T[]) => void;
  readonly has: (name: string) => boolean;
}

/** A reference count per name, for successive lists with few changes. */
function createNameCounts<T>(namesIn: (item: T) => readonly string[]): NameCounts<T> {
  const counts = new Map<string, number>();
  let last: readonly T[] = [];
  const count = (items: readonly T[], by: 1 | -1): void => {
    for (const name of items.flatMap(namesIn)) {
      const next = (counts.get(name) ?? 0) + by;
      if (next === 0) counts.delete(name);
      else counts.set(name, next);
    }
  };
  return {
    has: (name) => counts.has(name),
    update: (list) => {
      if (list === last) return;
      const { start, end } = changedSpan(last, list);
      count(last.slice(start, last.length - end), -1);
      count(list.slice(start, list.length - end), 1);
      last = list;
    },
  };
}
