/** When the last value came that is to be served. */
interface Arrival<T> {
  /** Notes when a value came. */
  readonly see: (value: T, nowMs: number) => void;
  /** How long the value took since it came; undefined for one that was served already. */
  readonly markServed: (value: T, nowMs: number) => number | undefined;
}

/** Equal values are no change. */
export function createArrival<T>(same: (a: T, b: T) => boolean): Arrival<T> {
  let latest: { readonly value: T; readonly sinceMs: number } | undefined;
  let served: T | undefined;
  return {
    see: (value, nowMs) => {
      if (latest === undefined || !same(latest.value, value)) latest = { value, sinceMs: nowMs };
    },
    markServed: (value, nowMs) => {
      if (served !== undefined && same(served, value)) return undefined;
      served = value;
      return latest !== undefined && same(latest.value, value) ? nowMs - latest.sinceMs : undefined;
    },
  };
}
