import type { ParsedItem } from './kube-objects.ts';

/** What a list and the watch events after it add up to. Readonly: every change makes a new one. */
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

/** A store that holds exactly the listed objects: whatever vanished while nobody watched is gone. */
export function fromList(list: ListedObjects): ObjectStore {
  return {
    resourceVersion: list.resourceVersion,
    items: new Map(list.items.map((item) => [item.key, item])),
  };
}

/**
 * Takes a polled list in, unless the watch has already seen something newer: a poll that was asked before a change
 * and answered after it would undo that change until the next poll.
 */
export function takePoll(store: ObjectStore | undefined, list: ListedObjects): ObjectStore {
  const isStale = store !== undefined && (order(list.resourceVersion, store.resourceVersion) ?? 1) < 0;
  return isStale ? store : fromList(list);
}

/** Takes a watch event in. One that a poll has overtaken changes nothing and returns the same store. */
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
 * Several stores as one, for objects that a label selector can only find in two requests. Of an object that is in
 * more than one the newest version counts.
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
 * Negative where `a` is older than `b`. Resource versions of one resource type compare as numbers (they are etcd
 * revisions). Undefined where one is no number: callers then take what arrived last, so that nothing is ignored.
 */
function order(a: string, b: string): number | undefined {
  if (!/^[0-9]{1,20}$/.test(a) || !/^[0-9]{1,20}$/.test(b)) return undefined;
  const difference = BigInt(a) - BigInt(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
