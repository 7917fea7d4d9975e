/** A field of what a parser returned; undefined if it is not an object. */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
