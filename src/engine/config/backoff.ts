import { retryPauseMs } from '../system/time/retry.ts';
import type { Backoff, Deploy } from './deploy-state.ts';
import type { Revision } from './set.ts';

const RETRY = { firstMs: 500, longestMs: 15_000 };

export function backoffAfter(failures: number, nowMs: number): Backoff {
  return { failures, untilMs: nowMs + retryPauseMs(failures, RETRY) };
}

/** How often a version has been refused since it last ran. A check that it passes does not reset this: a start may refuse what a check accepts. */
export function failuresOf<T>({ refused, retried }: Deploy<T>, revision: Revision): number {
  return refused.get(revision)?.failures ?? (retried?.revision === revision ? retried.failures : 0);
}
