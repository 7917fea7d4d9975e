/** Measures the time from a desired value's arrival until it is served. An equal value is not a new arrival. */
export function createArrival<T>(same: (a: T, b: T) => boolean) {
  let latest: { readonly value: T; readonly sinceMs: number } | undefined;
  let served: T | undefined;
  return {
    observe: (value: T, nowMs: number): void => {
      if (latest === undefined || !same(latest.value, value)) latest = { value, sinceMs: nowMs };
    },
    /** The time from the value's arrival until it was served; undefined if it was served already. */
    markServed: (value: T, nowMs: number): number | undefined => {
      if (served !== undefined && same(served, value)) return undefined;
      served = value;
      return latest !== undefined && same(latest.value, value) ? nowMs - latest.sinceMs : undefined;
    },
  };
}
