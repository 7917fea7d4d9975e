/** One look at the load balancer. `unknown`: it could not be asked, which says nothing about its servers. */
export type UsableSample = 'ok' | 'failed' | 'unknown';

/** Whether this node's load balancer is good enough to send the VIP's traffic to. */
export interface UsableState {
  readonly usable: boolean;
  /** Good samples in a row. */
  readonly okInARow: number;
  /** When the current run of failures began; undefined without one. */
  readonly failingSinceMs: number | undefined;
}

interface UsableLimits {
  /** Good samples in a row that make it usable. */
  readonly okToAdd: number;
  /** It stops being usable after failing this long without a single good sample. */
  readonly removeAfterMs: number;
}

/**
 * Quick to add: two good looks, so that one lucky answer of a dying process is not enough. Slow to remove: 6 s,
 * which is longer than a reload, a worker's restart or one lost probe; taking the redirect away moves every new
 * client to the one API server of this node.
 */
export const defaultUsableLimits: UsableLimits = { okToAdd: 2, removeAfterMs: 6_000 };

/** At start nothing is redirected before the load balancer has shown that it serves. */
export const initialUsableState: UsableState = { usable: false, okInARow: 0, failingSinceMs: undefined };

/**
 * The state after one more sample. `unknown` ends a run of good samples but neither begins nor ends a run of
 * failures. `nowMs` is a monotonic clock.
 */
export function nextUsableState(
  state: UsableState,
  sample: UsableSample,
  nowMs: number,
  limits: UsableLimits = defaultUsableLimits,
): UsableState {
  switch (sample) {
    case 'ok': {
      const okInARow = state.okInARow + 1;
      return { usable: state.usable || okInARow >= limits.okToAdd, okInARow, failingSinceMs: undefined };
    }
    case 'failed': {
      const failingSinceMs = state.failingSinceMs ?? nowMs;
      const usable = state.usable && nowMs - failingSinceMs < limits.removeAfterMs;
      return { usable, okInARow: 0, failingSinceMs };
    }
    case 'unknown':
      return { ...state, okInARow: 0 };
  }
}
