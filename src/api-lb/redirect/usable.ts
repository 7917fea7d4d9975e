import { ask } from '../../engine/system/network/ask.ts';

/** One poll of the load balancer. `unknown`: it could not be polled, which says nothing about its servers. */
export type UsableSample = 'ok' | 'failed' | 'unknown';

/** Whether this node's load balancer may get the VIP's traffic. */
export interface UsableState {
  readonly usable: boolean;
  /** Consecutive good samples. */
  readonly okInARow: number;
  /** When the current run of failures began; undefined without one. */
  readonly failingSinceMs: number | undefined;
}

interface UsableLimits {
  /** Consecutive good samples that make it usable. */
  readonly okToAdd: number;
  /** It stops being usable after failing this long without a single good sample. */
  readonly removeAfterMs: number;
}

/**
 * Quick to add: two good polls, so that one lucky answer of a dying process is not enough. Slow to remove: 6 s, which is longer than a reload, a
 * worker's restart or one lost probe; removing the redirect moves every new client to the one API server of this node.
 */
export const defaultUsableLimits: UsableLimits = { okToAdd: 2, removeAfterMs: 6_000 };

/** After startup nothing is redirected until the load balancer has shown that it serves. */
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
 * Polls this node's HAProxy for a server that is up (`/haproxy_monitor` of the template), over a new connection each time: a kept one would
 * continue to poll a draining generation. Never rejects. A refused connection, no answer within `timeoutMs` and 5xx are `failed`: a client would fare no
 * better. Any other status but 200 is `unknown`: a custom template may lack the page, and an aborted request has no answer.
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
