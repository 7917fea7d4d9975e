import type { ParsedItem } from './kube-objects.ts';

/** The result of a list and the watch events after it. Readonly: every change makes a new store. */
export interface ObjectStore {
  readonly resourceVersion: string;
  readonly items: ReadonlyMap<string, ParsedItem>;
}

export interface ListedObjects {
  readonly resourceVersion: string;
  readonly items: readonly ParsedItem[];
}

export type ObjectChange =
  | { readonly kind: 'set'; readonly item: ParsedItem }
  | { readonly kind: 'remove'; readonly key: string; readonly resourceVersion: string }
  /** A bookmark: nothing changed up to here. */
  | { readonly kind: 'reached'; readonly resourceVersion: string };

/** A store of exactly the listed objects: those that vanished while there was no watch are gone. */
export function fromList(list: ListedObjects): ObjectStore {
  return {
    resourceVersion: list.resourceVersion,
    items: new Map(list.items.map((item) => [item.key, item])),
  };
}

/**
 * Takes a polled list, unless the watch has seen a newer version: a poll that was requested before a change and
 * answered after it would undo the change until the next poll.
 */
export function takePoll(store: ObjectStore | undefined, list: ListedObjects): ObjectStore {
  const isStale = store !== undefined && (order(list.resourceVersion, store.resourceVersion) ?? 1) < 0;
  return isStale ? store : fromList(list);
}

/** Takes a watch event. An event older than the last poll returns the same store. */
export function takeChange(store: ObjectStore, change: ObjectChange): ObjectStore {
  const resourceVersion = change.kind === 'set' ? change.item.resourceVersion : change.resourceVersion;
  if ((order(resourceVersion, store.resourceVersion) ?? 1) <= 0) return store;
  if (change.kind === 'reached') return { ...store, resourceVersion };
  const items = new Map(store.items);
  if (change.kind === 'set') items.set(change.item.key, change.item);
  else items.delete(change.key);
  return { resourceVersion, items };
}

/**
 * Merges stores, for objects that a label selector can only find in two requests. The newest version of an object
 * counts.
 */
export function mergeStores(stores: readonly ObjectStore[]): readonly ParsedItem[] {
  const merged = new Map<string, ParsedItem>();
  for (const item of stores.flatMap((store) => [...store.items.values()])) {
    const known = merged.get(item.key);
    if (known === undefined || (order(item.resourceVersion, known.resourceVersion) ?? 1) > 0)
      merged.set(item.key, item);
  }
  return [...merged.values()];
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
