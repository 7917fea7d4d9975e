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

/** Consecutive good samples that make it usable: one lucky answer of a dying process is not enough. */
const OK_TO_ADD = 2;

/** After startup nothing is redirected until the load balancer has shown that it serves. */
export const initialUsableState: UsableState = { usable: false, okInARow: 0, failingSinceMs: undefined };

/**
 * The state after one more sample. `unknown` ends a run of good samples but neither begins nor ends a run of failures. `nowMs` is a monotonic clock.
 * It stops being usable after failing for `removeAfterMs` without a single good sample, longer than a reload, a worker's restart or one lost probe
 * takes: removing the redirect moves every new client to the one API server of this node.
 */
export function nextUsableState(
  state: UsableState,
  sample: UsableSample,
  nowMs: number,
  removeAfterMs: number,
): UsableState {
  switch (sample) {
    case 'ok': {
      const okInARow = state.okInARow + 1;
      return { usable: state.usable || okInARow >= OK_TO_ADD, okInARow, failingSinceMs: undefined };
    }
    case 'failed': {
      const failingSinceMs = state.failingSinceMs ?? nowMs;
      const usable = state.usable && nowMs - failingSinceMs < removeAfterMs;
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
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<UsableSample> {
  const question = { host: '127.0.0.1', port: healthPort, path: '/haproxy_monitor', tls: undefined };
  const answer = await ask(question, limits);
  if (answer.kind === 'silent') return limits.signal?.aborted === true ? 'unknown' : 'failed';
  if (answer.status === 200) return 'ok';
  return answer.status >= 500 ? 'failed' : 'unknown';
}
