import type { Wanted } from '../engine/reconcile/proposal.ts';

/** Lets a change through at once, and holds the next ones back until an interval has passed: each costs a reload. */
export interface Pace<T> {
  /** Notes when a value came. */
  readonly see: (value: T, nowMs: number) => void;
  /** What to serve now: the last value, or the one of before with the time until the last one's turn. */
  readonly next: (value: T, nowMs: number) => Wanted<T>;
  /** How long the value took since it came; undefined for one that was served already. */
  readonly markServed: (value: T, nowMs: number) => number | undefined;
}

/** The interval is from start to start. Equal values are no change. */
export function createPace<T>(intervalMs: number, same: (a: T, b: T) => boolean): Pace<T> {
  let latest: { readonly value: T; readonly sinceMs: number } | undefined;
  let offered: { readonly value: T; readonly atMs: number } | undefined;
  let served: T | undefined;
  const see = (value: T, nowMs: number): void => {
    if (latest === undefined || !same(latest.value, value)) latest = { value, sinceMs: nowMs };
  };
  return {
    see,
    next: (value, nowMs) => {
      see(value, nowMs);
      if (offered !== undefined && same(offered.value, value))
        return { input: value, lookAgainInMs: undefined };
      const leftMs = offered === undefined ? 0 : offered.atMs + intervalMs - nowMs;
      if (offered !== undefined && leftMs > 0) return { input: offered.value, lookAgainInMs: leftMs };
      offered = { value, atMs: nowMs };
      return { input: value, lookAgainInMs: undefined };
    },
    markServed: (value, nowMs) => {
      if (served !== undefined && same(served, value)) return undefined;
      served = value;
      return latest !== undefined && same(latest.value, value) ? nowMs - latest.sinceMs : undefined;
    },
  };
}
