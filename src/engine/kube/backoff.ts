/** Pauses between attempts, which grow until `reset`. */
export interface Backoff {
  /** Milliseconds to wait before the next attempt. */
  nextMs(): number;
  reset(): void;
}

/**
 * Doubles from `firstMs` to `capMs`, each time shortened at random by up to half, so that the monitors of all nodes
 * do not return to a recovering API server in the same instant. `random` gives numbers in [0, 1).
 */
export function createBackoff(settings: {
  readonly firstMs: number;
  readonly capMs: number;
  readonly random: () => number;
}): Backoff {
  let ceilingMs = settings.firstMs;
  return {
    nextMs: () => {
      const currentMs = ceilingMs;
      ceilingMs = Math.min(settings.capMs, ceilingMs * 2);
      return currentMs * (1 - settings.random() / 2);
    },
    reset: () => {
      ceilingMs = settings.firstMs;
    },
  };
}
