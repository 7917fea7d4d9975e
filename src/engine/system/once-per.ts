/** Memoises a function by object identity for as long as the object lives. The result must depend only on the object, which must not change. */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  // Undefined values are cached too: `has` costs less than a wrapper around each value.
  const made = new WeakMap<K, V>();
  return (key) => {
    const cached = made.get(key);
    if (cached !== undefined || made.has(key)) return cached as V;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

/**
 * `list.map(make)` for successive lists, with one call of `make` per item. An item that keeps its index costs one comparison, so a list of thousands
 * is cheap. The only memory is the table of each item's result.
 */
export function eachOncePer<K extends object, V>(make: (key: K) => V): (list: readonly K[]) => readonly V[] {
  const memoised = oncePer(make);
  let last: readonly K[] = [];
  let made: readonly V[] = [];
  return (list) => {
    if (list === last) return made;
    const before = last;
    const cells = made;
    made = list.map((key, index) => (before[index] === key ? (cells[index] as V) : memoised(key)));
    last = list;
    return made;
  };
}
