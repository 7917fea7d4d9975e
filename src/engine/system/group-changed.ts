import { exactList } from './exact-list.ts';
import { changedSpan } from './same-list.ts';

/** The items of a list, grouped by a key that depends only on the item. */
interface Groups<T> {
  /** The items with this key, in any order. Empty if the key does not occur. */
  readonly of: (key: string) => readonly T[];
  /** Takes the next list, without duplicates. Returns the keys of added and removed items; moved items do not count. */
  readonly take: (list: readonly T[]) => ReadonlySet<string>;
}

/** `Map.groupBy(list, keyOf)` for successive lists that differ in few items. Rebuilds only the groups of those items. */
export function groupChanged<T>(keyOf: (item: T) => string): Groups<T> {
  const groups = new Map<string, readonly T[]>();
  let last: readonly T[] = [];
  const of = (key: string): readonly T[] => groups.get(key) ?? [];
  return {
    of,
    take: (list) => {
      const { start, end } = changedSpan(last, list);
      const gone = new Set(last.slice(start, last.length - end));
      const added = list.slice(start, list.length - end).filter((item) => !gone.delete(item));
      last = list;
      const addedGroups = Map.groupBy(added, keyOf);
      const changed = new Set([...Map.groupBy(gone, keyOf).keys(), ...addedGroups.keys()]);
      for (const key of changed) {
        const group = [...of(key).filter((item) => !gone.has(item)), ...(addedGroups.get(key) ?? [])];
        if (group.length === 0) groups.delete(key);
        else groups.set(key, exactList(group));
      }
      return changed;
    },
  };
}
