import { ask } from '../../engine/system/network/ask.ts';

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
 * Quick to add: two good looks, so that one lucky answer of a dying process is not enough. Slow to remove: 6 s, which is longer than a reload, a
 * worker's restart or one lost probe; taking the redirect away moves every new client to the one API server of this node.
 */
export const defaultUsableLimits: UsableLimits = { okToAdd: 2, removeAfterMs: 6_000 };

/** At start nothing is redirected before the load balancer has shown that it serves. */
export const initialUsableState: UsableState = { usable: false, okInARow: 0, failingSinceMs: undefined };

/**
 * The state after one more sample. `unknown` ends a run of good samples but neither begins nor ends a run of failures. `nowMs` is a monotonic clock.
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

/**
 * Asks this node's HAProxy whether any of its servers is up (`/haproxy_monitor` of the template), over a connection of its own: a kept one would go
 * on asking a draining generation. Never rejects. A refused connection, no answer within `timeoutMs` and 5xx are `failed`: a client would fare no
 * better. Any other status but 200 is `unknown`: a custom template may not have the page, and an aborted request has no answer.
 */
export async function probeUsable(
  healthPort: number,
  { host = '127.0.0.1', ...limits }: ProbeOptions,
): Promise<UsableSample> {
  const question = { host, port: healthPort, path: '/haproxy_monitor', tls: undefined };
  const answer = await ask(question, limits);
  if (answer.kind === 'silent') return limits.signal?.aborted === true ? 'unknown' : 'failed';
  if (answer.status === 200) return 'ok';
  return answer.status >= 500 ? 'failed' : 'unknown';
}

interface ProbeOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly host?: string;
}
