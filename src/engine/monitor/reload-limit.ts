import type { ApplyOutcome } from '../apply/apply-outcome.ts';

/**
 * How long a reload has to wait: the first not at all, each later one until `intervalMs` after the previous start. The duration of a reload does
 * not matter: the loop never has two in flight, and the next one contains all that came meanwhile.
 */
export function reloadWaitMs(lastStartMs: number | undefined, intervalMs: number, nowMs: number): number {
  return lastStartMs === undefined ? 0 : Math.max(0, lastStartMs + intervalMs - nowMs);
}

/**
 * Start time of the reload behind an outcome known at `nowMs` of an attempt since `attemptMs`; undefined if there was no reload. A file that
 * validation refused costs no connection, unless it had been applied at runtime: then the previous file was reloaded. Unanswered requests have
 * their own backoff.
 */
export function reloadStartMs(outcome: ApplyOutcome, attemptMs: number, nowMs: number): number | undefined {
  switch (outcome.kind) {
    case 'reloaded':
      // A runtime update starts no process.
      if (outcome.atRunTime === true) return undefined;
      return nowMs - (outcome.tookMs ?? 0);
    case 'rejected':
      if (outcome.back?.kind === 'reloaded') return nowMs - (outcome.back.tookMs ?? 0);
      return outcome.by === 'reload' ? attemptMs : undefined;
    case 'unchanged':
    case 'unreachable':
    case 'failed':
    case 'superseded':
      return undefined;
  }
}
