import type { ApplyOutcome } from '../apply/apply-outcome.ts';

/**
 * How long a reload has to wait: the first one not at all, each further one until `intervalMs` have passed since the start of the one
 * before. However long that one took: a loop that waits for its answer never has two at once, and whatever came meanwhile is in the next.
 */
export function reloadWaitMs(lastStartMs: number | undefined, intervalMs: number, nowMs: number): number {
  return lastStartMs === undefined ? 0 : Math.max(0, lastStartMs + intervalMs - nowMs);
}

/**
 * When the program was started for an outcome that is known at `nowMs`, of an attempt since `attemptMs`; undefined where it was not. What
 * its check refused costs nobody a connection, unless the program was told of it before and had to be started again with the file of before.
 * What nobody answered is retried less and less often anyway.
 */
export function reloadStartMs(outcome: ApplyOutcome, attemptMs: number, nowMs: number): number | undefined {
  switch (outcome.kind) {
    case 'reloaded':
      // What the program was told while it runs started nothing.
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
