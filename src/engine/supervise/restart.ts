import { retryPauseMs } from '../system/time/retry.ts';

/** A generation that served this long was healthy: the pauses start over. */
const WELL_AFTER_MS = 10_000;

/** The pause before another start after a death or a failed start: none, then 0.25 s to 5 s. */
export function restartDelayMs(failures: number): number {
  return retryPauseMs(failures, { firstMs: 250, longestMs: 5_000 });
}

/** How many failures preceded the death of a generation that served this long. */
export function failuresBeforeDeath(failures: number, servedMs: number): number {
  return servedMs >= WELL_AFTER_MS ? 0 : failures;
}
