import { ask } from '../../engine/system/network/ask.ts';

/** The result of one poll of the load balancer. `unknown`: the poll failed for a reason unrelated to its servers. */
export type UsableSample = 'ok' | 'failed' | 'unknown';

/** Whether this node's load balancer may receive the VIP's traffic. */
export interface UsableState {
  readonly usable: boolean;
  /** Consecutive good samples. */
  readonly okInARow: number;
  /** When the current run of failures began; undefined without one. */
  readonly failingSinceMs: number | undefined;
}

/** Consecutive good samples before the load balancer is usable: a dying process may still answer once. */
const OK_TO_ADD = 2;

/** The state at startup: nothing is redirected until the load balancer has proven usable. */
export const initialUsableState: UsableState = { usable: false, okInARow: 0, failingSinceMs: undefined };

/**
 * Returns the state after one more sample. `unknown` ends a run of good samples but neither starts nor ends a run of failures. `nowMs` is from a
 * monotonic clock. The load balancer stops being usable after `removeAfterMs` of failures without a good sample. That time must exceed a reload,
 * a worker's restart and a lost probe, because removing the redirect moves every new client to the one API server on this node.
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
 * Polls `/haproxy_monitor` of this node's HAProxy, which reports whether a server is up. Opens a new connection each time, because a persistent one
 * would stay with a draining generation. Never rejects. A refused connection, no answer within `timeoutMs` and a 5xx status are `failed`, since clients
 * would fail as well. Any other status except 200 is `unknown`, because a custom template may lack the page; so is an aborted request.
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
