import { changedSpan } from './same-list.ts';

/**
 * `list.map(make)` for one list after another, of which few items change: what was made of the items that two lists have in common at their
 * beginnings and at their ends is taken over. Where all items stayed, the answer is the same list. What is made must follow from the item alone.
 * All items between two changes are made again, also those that stayed or only moved: where that costs much, `make` is a `oncePer`.
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

/** The list with these items instead of those from `start` to `end`. Where there are as many of both, a list of thousands is copied only once. */
function replaced<V>(list: readonly V[], start: number, end: number, items: readonly V[]): readonly V[] {
  if (end - start !== items.length) return list.slice(0, start).concat(items, list.slice(end));
  const copy = list.slice();
  for (const [index, item] of items.entries()) copy[start + index] = item;
  return copy;
}
