import { exactList } from './exact-list.ts';
import { changedSpan } from './same-list.ts';

/** The items of a list by a key that follows from each alone. */
interface Groups<T> {
  /** In any order. Empty where there are none. */
  readonly of: (key: string) => readonly T[];
  /** Takes the next list, of which each item is there once, and tells the keys of the items that have come or gone. One that only moved has not. */
  readonly take: (list: readonly T[]) => ReadonlySet<string>;
}

/** `Map.groupBy(list, keyOf)` for one list after another, of which few items change: only their groups are made again. */
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
