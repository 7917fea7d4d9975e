import { isDeepStrictEqual } from 'node:util';
import type { ObjectIdentity } from './kube-objects.ts';

/** The projection of an object, and its version. */
export interface Kept<T> {
  readonly resourceVersion: string;
  readonly value: T;
}

export interface ListedObjects<T> {
  readonly resourceVersion: string;
  /** Keyed by `ObjectIdentity`'s key. */
  readonly objects: Map<string, Kept<T>>;
}

export type ObjectChange<T> =
  /** `value` is undefined if the object was deleted, or its projection became undefined. */
  | ({ readonly kind: 'object'; readonly value: T | undefined } & ObjectIdentity)
  /** A bookmark: nothing changed up to this version. */
  | { readonly kind: 'reached'; readonly resourceVersion: string };

/** The result of a list and of the watch events after it. */
export interface ObjectStore<T> {
  readonly resourceVersion: () => string;
  /** Keyed by `ObjectIdentity`'s key. */
  readonly objects: () => ReadonlyMap<string, Kept<T>>;
  /** Replaces everything, so objects that vanished without a watch are gone. An object of the same version keeps its identity. */
  readonly relist: (list: ListedObjects<T>) => void;
  /**
   * Applies a polled list unless the watch has a newer version: a poll that was requested before a change and answered after it would undo the change
   * until the next poll. A list older than `asked`, the version known at the request, is applied: lists are consistent with etcd, so etcd was
   * restored from a backup.
   */
  readonly poll: (list: ListedObjects<T>, asked: string | undefined) => void;
  /**
   * Applies a watch event. Returns false if that changes no projection: a bookmark, an event older than the last poll, or a heartbeat. Of 5,000
   * nodes, hundreds send a heartbeat each second.
   */
  readonly take: (change: ObjectChange<T>) => boolean;
}

/** Takes ownership of the list: its map becomes the store's map. */
export function createObjectStore<T>(first: ListedObjects<T>): ObjectStore<T> {
  let { resourceVersion, objects } = first;
  // Derived values are cached by object identity, so a relisted object remains the same object.
  const relist = (list: ListedObjects<T>): void => {
    for (const [key, { resourceVersion: version }] of list.objects) {
      const previous = objects.get(key);
      if (previous !== undefined && version !== '' && previous.resourceVersion === version)
        list.objects.set(key, previous);
    }
    ({ resourceVersion, objects } = list);
  };
  return {
    resourceVersion: () => resourceVersion,
    objects: () => objects,
    relist,
    poll: (list, asked = '') => {
      const isRestored = isOlder(list.resourceVersion, asked);
      if (isRestored || !isOlder(list.resourceVersion, resourceVersion)) relist(list);
    },
    take: (change) => {
      if ((order(change.resourceVersion, resourceVersion) ?? 1) <= 0) return false;
      if (change.resourceVersion !== '') resourceVersion = change.resourceVersion;
      if (change.kind === 'reached') return false;
      const { key, value } = change;
      if (value === undefined) return objects.delete(key);
      const previous = objects.get(key);
      const isSame = previous !== undefined && isDeepStrictEqual(previous.value, value);
      objects.set(key, { resourceVersion: change.resourceVersion, value: isSame ? previous.value : value });
      return !isSame;
    },
  };
}

/** The objects of several stores, for a selection that needs two requests. The newest version of an object wins. */
export function mergeStores<T>(stores: readonly ObjectStore<T>[]): ReadonlyMap<string, Kept<T>> {
  const [first, ...others] = stores;
  if (first === undefined || others.length === 0) return first?.objects() ?? new Map();
  const merged = new Map(first.objects());
  for (const [key, object] of others.flatMap((store) => [...store.objects()])) {
    const other = merged.get(key);
    if (other === undefined || (order(object.resourceVersion, other.resourceVersion) ?? 1) > 0)
      merged.set(key, object);
  }
  return merged;
}

/** Whether version `a` is older than `b`. False if they cannot be compared. */
export function isOlder(a: string, b: string): boolean {
  return (order(a, b) ?? 0) < 0;
}

/**
 * Negative if `a` is older than `b`. Resource versions of one type are etcd revisions, so they compare as numbers. Undefined if one is not a number:
 * callers then use the one that arrived last, so that nothing is ignored.
 */
function order(a: string, b: string): number | undefined {
  if (!/^[0-9]{1,20}$/.test(a) || !/^[0-9]{1,20}$/.test(b)) return undefined;
  const difference = BigInt(a) - BigInt(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
