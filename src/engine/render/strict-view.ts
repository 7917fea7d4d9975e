/**
 * A read-only view in which reading a missing field throws instead of returning `undefined`. A misspelt name in a template is an error even inside
 * `<%-` or an `if`. Arrays keep their methods.
 */
export function strictView<T>(value: T, path: string): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const field: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || typeof field === 'function') return field;
      if (!Object.hasOwn(target, key))
        throw new Error(
          `Cannot read "${path}.${key}": no such variable, expected one of ${Object.keys(target).join(', ')}`,
        );
      return strictView(field, `${path}.${key}`);
    },
    set(_target, key) {
      throw new Error(`Cannot set "${path}.${String(key)}": the model is read-only`);
    },
  });
}
