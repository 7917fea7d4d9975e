/** Pauses between attempts at the same thing: doubled from the first, up to the longest. */
export interface RetryLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause after this many failed attempts in a row, 0 while there was none. */
export function retryPauseMs(failures: number, limits: RetryLimits): number {
  if (failures === 0) return 0;
  return Math.min(limits.longestMs, limits.firstMs * 2 ** (failures - 1));
}

/**
 * The same, shortened at random by up to half, so that the monitors of all nodes do not return to a recovering API server
 * in the same instant. `random` gives numbers in [0, 1).
 */
export function scatteredPauseMs(failures: number, limits: RetryLimits, random = Math.random): number {
  return retryPauseMs(failures, limits) * (1 - random() / 2);
}
