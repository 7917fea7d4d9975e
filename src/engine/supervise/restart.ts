import { retryPauseMs } from '../system/time/retry.ts';

/** A process that ran this long was healthy, so the backoff is reset. */
const WELL_AFTER_MS = 10_000;

/** Number of consecutive failures, and when the next start is due; no start is due while `at` is undefined. */
export interface Restart {
  readonly failures: number;
  readonly at: number | undefined;
}

export const noRestart: Restart = { failures: 0, at: undefined };

/** The restart after a death. The first one is due at once; earlier failures delay it. */
export function afterDeath(
  { failures }: Restart,
  ranMs: number,
  now: number,
): Restart & { readonly at: number } {
  const before = ranMs >= WELL_AFTER_MS ? 0 : failures;
  return { failures: before + 1, at: now + restartDelayMs(before) };
}

export function afterFailedStart(restart: Restart, now: number): Restart {
  const failures = restart.failures + 1;
  return { failures, at: now + restartDelayMs(failures) };
}

/** 0 at first, then 0.25 s to 5 s. */
function restartDelayMs(failures: number): number {
  return retryPauseMs(failures, { firstMs: 250, longestMs: 5_000 });
}
