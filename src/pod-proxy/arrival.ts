/** When the newest desired value arrived. */
interface Arrival<T> {
  readonly see: (value: T, nowMs: number) => void;
  /** The time from the value's arrival until it was served; undefined if it was served already. */
  readonly markServed: (value: T, nowMs: number) => number | undefined;
}

/** An equal value does not count as a change. */
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
