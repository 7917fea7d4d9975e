import { changedSpan } from './same-list.ts';

/**
 * `list.map(make)` for successive lists of which few items change: results of the common prefix and suffix are reused. If no item changed,
 * returns the same list. `make` must depend on the item alone. All items between two changes are made again, even those that stayed or only
 * moved: if that is expensive, `make` is a `oncePer`.
 */
export function mapChanged<K, V>(make: (item: K) => V): (list: readonly K[]) => readonly V[] {
  let last: { readonly list: readonly K[]; readonly made: readonly V[] } = { list: [], made: [] };
  return (list) => {
    const { start, end } = changedSpan(last.list, list);
    const { made } = last;
    if (start + end === Math.max(list.length, made.length)) return made;
    const between = list.slice(start, list.length - end).map((item) => make(item));
    last = { list, made: replaced(made, start, made.length - end, between) };
    return last.made;
  };
}

/** Replaces the items from `start` to `end`. With an equal number of items, a list of thousands is copied only once. */
function replaced<V>(list: readonly V[], start: number, end: number, items: readonly V[]): readonly V[] {
  if (end - start !== items.length) return list.slice(0, start).concat(items, list.slice(end));
  const copy = list.slice();
  for (const [index, item] of items.entries()) copy[start + index] = item;
  return copy;
}
