import { changedSpan } from './same-list.ts';

/**
 * `list.map(make)` for one list after another, of which few items change: what was made of those at the beginning and at the end that stayed is
 * taken over without a look at them. The same list where all stayed. The answer must follow from the item alone. What `make` costs for items
 * that only moved is for `make` to save, as `oncePer` does.
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

/** The list with these items instead of those from `start` to `end`. Of as many it is copied once: lists of thousands of items are made at each change. */
function replaced<V>(list: readonly V[], start: number, end: number, items: readonly V[]): readonly V[] {
  if (end - start !== items.length) return list.slice(0, start).concat(items, list.slice(end));
  const copy = list.slice();
  for (const [index, item] of items.entries()) copy[start + index] = item;
  return copy;
}
