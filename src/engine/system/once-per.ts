/**
 * The same function, which makes its answer once for each object and keeps it for as long as the object is there. The answer must follow
 * from the object alone, and the object must not change.
 */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
