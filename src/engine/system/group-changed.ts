import { exactList } from './exact-list.ts';
import { changedSpan } from './same-list.ts';

/** Items of a list, grouped by a key that depends on the item alone. */
interface Groups<T> {
  /** In any order. Empty if there are none. */
  readonly of: (key: string) => readonly T[];
  /** Takes the next list, without duplicates, and returns the keys of added or removed items. A moved item does not count. */
  readonly take: (list: readonly T[]) => ReadonlySet<string>;
}

/** `Map.groupBy(list, keyOf)` for successive lists of which few items change: only their groups are rebuilt. */
export function groupChanged<T>(keyOf: (item: T) => string): Groups<T> {
  const groups = new Map<string, readonly T[]>();
  let last: readonly T[] = [];
  const of = (key: string): readonly T[] => groups.get(key) ?? [];
  return {
    of,
    take: (list) => {
      const { start, end } = changedSpan(last, list);
      const gone = new Set(last.slice(start, last.length - end));
      const come = list.slice(start, list.length - end).filter((item) => !gone.delete(item));
      last = list;
      const news = Map.groupBy(come, keyOf);
      const changed = new Set([...Map.groupBy(gone, keyOf).keys(), ...news.keys()]);
      for (const key of changed) {
        const group = [...of(key).filter((item) => !gone.has(item)), ...(news.get(key) ?? [])];
        if (group.length === 0) groups.delete(key);
        else groups.set(key, exactList(group));
      }
      return changed;
    },
  };
}
