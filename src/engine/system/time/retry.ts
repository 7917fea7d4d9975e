/** Backoff: doubles from the first pause up to the longest. */
export interface RetryLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause after this many consecutive failures; 0 after none. */
export function retryPauseMs(failures: number, limits: RetryLimits): number {
  if (failures === 0) return 0;
  return Math.min(limits.longestMs, limits.firstMs * 2 ** (failures - 1));
}

/**
 * `retryPauseMs` with jitter: shortened by up to half, so that the monitors of all nodes do not hit a recovering API server at the same time.
 * `random` returns numbers in [0, 1).
 */
export function scatteredPauseMs(failures: number, limits: RetryLimits, random = Math.random): number {
  return retryPauseMs(failures, limits) * (1 - random() / 2);
}
