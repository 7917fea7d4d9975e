import type { TrackHealth } from '../../keepalived/track-value.ts';

/** The verdict on a check, and the history that leads to the next one. Times are in milliseconds of one monotonic clock. */
export interface FlapState {
  /** See `TrackHealth.service`. */
  readonly verdict: Exclude<TrackHealth['service'], 'unchecked'>;
  /** Falls from ok or doubtful that have not been cleared yet. */
  readonly falls: number;
  /** When the verdict last changed. */
  readonly sinceMs: number;
}

export const flapLimits = {
  /** How long the check must be ok without a break after its first fall. Doubled with each further fall. */
  firstHoldMs: 1_000,
  longestHoldMs: 60_000,
  /** Falls are cleared once the check has been ok for this long. */
  forgetAfterMs: 300_000,
} as const;

export const initialFlap: FlapState = { verdict: 'unknown', falls: 0, sinceMs: 0 };

/**
 * The state after one more sample. A fall is never damped: a node that cannot serve must not hold the VIP. The recovery is damped:
 * the first ok makes the check `doubtful`, with which the node serves only if no healthy node does. It is `ok` again after a hold
 * time without a failure. The hold time doubles with each fall, so a flapping check moves the VIP less and less often. The first
 * samples after the start apply at once.
 */
export function nextFlap(state: FlapState, isOk: boolean, nowMs: number): FlapState {
  const current = clearOldFalls(state, nowMs);
  return isOk ? risen(current, nowMs) : fallen(current, nowMs);
}

function risen(state: FlapState, nowMs: number): FlapState {
  switch (state.verdict) {
    case 'unknown':
      return { ...state, verdict: 'ok', sinceMs: nowMs };
    case 'failed':
      return { ...state, verdict: state.falls === 0 ? 'ok' : 'doubtful', sinceMs: nowMs };
    case 'doubtful':
      return nowMs - state.sinceMs >= holdMs(state.falls)
        ? { ...state, verdict: 'ok', sinceMs: nowMs }
        : state;
    case 'ok':
      return state;
  }
}

function fallen(state: FlapState, nowMs: number): FlapState {
  if (state.verdict === 'failed') return state;
  const counts = state.verdict !== 'unknown';
  return { verdict: 'failed', falls: state.falls + (counts ? 1 : 0), sinceMs: nowMs };
}

/** Clears all falls of a check at once when it has been ok for long enough. */
function clearOldFalls(state: FlapState, nowMs: number): FlapState {
  const isStable = state.verdict === 'ok' && nowMs - state.sinceMs >= flapLimits.forgetAfterMs;
  return isStable ? { ...state, falls: 0 } : state;
}

function holdMs(falls: number): number {
  return Math.min(flapLimits.longestHoldMs, flapLimits.firstHoldMs * 2 ** Math.max(0, falls - 1));
}

/** Why the verdict differs from the last sample, for a status page; undefined if it does not. */
export function explainFlap(state: FlapState, nowMs: number): string | undefined {
  if (state.verdict !== 'doubtful') return undefined;
  const leftMs = Math.max(0, state.sinceMs + holdMs(state.falls) - nowMs);
  const times = state.falls === 1 ? 'once' : `${state.falls} times`;
  return `damped: the check has failed ${times}, it is trusted again after ${Math.ceil(leftMs / 1_000)} s without another failure`;
}
