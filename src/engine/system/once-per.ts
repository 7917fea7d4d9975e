/**
 * Memoises a function by object identity for as long as the object lives. The result must depend on the object alone, and the object must not
 * change.
 */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  // Undefined values are cached too: `has` costs less than a wrapper around each value.
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined || made.has(key)) return known as V;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
