import { type ApiServer, sameServers } from '../kube/api-server.ts';

/** Lists of servers on their way from "seen" to "applied". Times are in milliseconds of one monotonic clock. */
export interface SettleState {
  /** What HAProxy serves; undefined until the first list was applied. */
  readonly applied: readonly ApiServer[] | undefined;
  /** The latest list that differs from it, and since when it has been the latest without a break. */
  readonly pending: { readonly servers: readonly ApiServer[]; readonly sinceMs: number } | undefined;
}

export type SettleDecision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'wait'; readonly lookAgainInMs: number }
  | { readonly kind: 'settled'; readonly servers: readonly ApiServer[] };

export function startSettling(applied?: readonly ApiServer[]): SettleState {
  return { applied, pending: undefined };
}

/** Takes in one observed list. Seeing the applied list again cancels the change; seeing the pending one again does not restart its clock. */
export function settle(state: SettleState, servers: readonly ApiServer[], nowMs: number): SettleState {
  if (state.applied !== undefined && sameServers(state.applied, servers))
    return { applied: state.applied, pending: undefined };
  if (state.pending !== undefined && sameServers(state.pending.servers, servers)) return state;
  return { applied: state.applied, pending: { servers, sinceMs: nowMs } };
}

/**
 * What to do now: a list is settled once nothing else was seen for `settleMs`. A node that reboots changes its
 * object several times within a second, and each change would cost a reload. A clock that went back makes the wait
 * longer by at most `settleMs`.
 */
export function settleDecision(state: SettleState, settleMs: number, nowMs: number): SettleDecision {
  if (state.pending === undefined) return { kind: 'nothing-to-do' };
  const remainingMs = state.pending.sinceMs + settleMs - nowMs;
  return remainingMs <= 0
    ? { kind: 'settled', servers: state.pending.servers }
    : { kind: 'wait', lookAgainInMs: Math.min(remainingMs, settleMs) };
}

/** Remembers that `servers` are being served now. A newer change that was seen meanwhile stays pending. */
export function markApplied(state: SettleState, servers: readonly ApiServer[]): SettleState {
  const pending =
    state.pending !== undefined && sameServers(state.pending.servers, servers) ? undefined : state.pending;
  return { applied: servers, pending };
}
