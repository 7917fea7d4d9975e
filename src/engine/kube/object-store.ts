import { isDeepStrictEqual } from 'node:util';
import type { ObjectIdentity } from './kube-objects.ts';

/** What is kept of one object. */
export interface Kept<T> {
  readonly resourceVersion: string;
  readonly value: T;
}

export interface ListedObjects<T> {
  readonly resourceVersion: string;
  /** By key. */
  readonly objects: Map<string, Kept<T>>;
}

export type ObjectChange<T> =
  /** Undefined: the object was deleted, or its projection is gone. */
  | ({ readonly kind: 'object'; readonly value: T | undefined } & ObjectIdentity)
  /** A bookmark: nothing changed up to here. */
  | { readonly kind: 'reached'; readonly resourceVersion: string };

/** The result of a list and the watch events after it. */
export interface ObjectStore<T> {
  readonly resourceVersion: () => string;
  /** By key. */
  readonly objects: () => ReadonlyMap<string, Kept<T>>;
  /** Replaces everything: objects that vanished while there was no watch are gone. A value of the same version stays the same object. */
  readonly relist: (list: ListedObjects<T>) => void;
  /**
   * Takes a polled list, unless the watch has seen a newer version: a poll that was requested before a change and
   * answered after it would undo the change until the next poll. One that is older than `asked`, what was known when it
   * was requested, counts: lists are consistent with etcd, so etcd was restored from a backup.
   */
  readonly poll: (list: ListedObjects<T>, asked: string | undefined) => void;
  /**
   * Takes a watch event. False for one that changes nothing that is kept: a bookmark, one older than the last poll, or a
   * heartbeat. Of 5,000 nodes, hundreds send one each second.
   */
  readonly take: (change: ObjectChange<T>) => boolean;
}

/** Takes ownership of the list: its map becomes the store's. */
export function createObjectStore<T>(first: ListedObjects<T>): ObjectStore<T> {
  let { resourceVersion, objects } = first;
  // Derived values are cached by object identity: a relisted object stays the same object here.
  const relist = (list: ListedObjects<T>): void => {
    for (const [key, { resourceVersion: version }] of list.objects) {
      const known = objects.get(key);
      if (known !== undefined && version !== '' && known.resourceVersion === version)
        list.objects.set(key, known);
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
      const known = objects.get(key);
      const isSame = known !== undefined && isDeepStrictEqual(known.value, value);
      objects.set(key, { resourceVersion: change.resourceVersion, value: isSame ? known.value : value });
      return !isSame;
    },
  };
}

/** The objects of several stores, for those that a label selector can only find in two requests. The newest version of an object counts. */
export function mergeStores<T>(stores: readonly ObjectStore<T>[]): ReadonlyMap<string, Kept<T>> {
  const [first, ...others] = stores;
  if (first === undefined || others.length === 0) return first?.objects() ?? new Map();
  const merged = new Map(first.objects());
  for (const [key, object] of others.flatMap((store) => [...store.objects()])) {
    const known = merged.get(key);
    if (known === undefined || (order(object.resourceVersion, known.resourceVersion) ?? 1) > 0)
      merged.set(key, object);
  }
  return merged;
}

/** False if the two cannot be compared. */
export function isOlder(a: string, b: string): boolean {
  return (order(a, b) ?? 0) < 0;
}

/**
 * Negative if `a` is older than `b`. Resource versions of one type compare as numbers, as they are etcd revisions.
 * Undefined if one is not a number: callers then take the one that arrived last, so that nothing is ignored.
 */
function order(a: string, b: string): number | undefined {
  if (!/^[0-9]{1,20}$/.test(a) || !/^[0-9]{1,20}$/.test(b)) return undefined;
  const difference = BigInt(a) - BigInt(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
