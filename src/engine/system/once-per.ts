/**
 * The same function, which makes its answer once for each object and keeps it for as long as the object is there. The answer must follow
 * from the object alone, and the object must not change.
 */
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  // A value that is undefined is there as well: `has` costs less than an object around each value.
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined || made.has(key)) return known as V;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
