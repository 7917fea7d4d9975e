import type { TrackHealth } from '../../keepalived/track-value.ts';

/** One look at a check. `certain`: the process or its socket is gone; otherwise a slow or wrong answer, or none. */
export type CheckSample = { readonly kind: 'ok' } | { readonly kind: 'failed'; readonly certain: boolean };

/** A check's samples on their way to a verdict. Times are in milliseconds of one monotonic clock. */
export interface FlapState {
  /** What should be believed: see `TrackHealth.service`. */
  readonly verdict: Exclude<TrackHealth['service'], 'unchecked'>;
  readonly failuresInARow: number;
  /** Falls from ok or doubtful that have not been forgotten yet. */
  readonly falls: number;
  /** When the verdict last became what it is. */
  readonly sinceMs: number;
}

export const flapLimits = {
  /** Consecutive uncertain failures before they count. The holder needs more of them than a candidate. */
  failuresToFall: { holder: 2, candidate: 1 },
  /** How long it must be ok without a break after its first fall; doubled with each further one. */
  firstHoldMs: 1_000,
  longestHoldMs: 60_000,
  /** A fall is forgotten after so long without another. */
  forgetAfterMs: 300_000,
} as const;

export const initialFlap: FlapState = { verdict: 'unknown', failuresInARow: 0, falls: 0, sinceMs: 0 };

/**
 * The state after one more sample. Falling is quick and never damped: a node that cannot serve must not hold the VIP.
 * Coming back is: the first ok makes it `doubtful`, which serves where no healthy node does, and only a time without a
 * break makes it `ok` again. That time doubles with every fall, so that a check which flaps moves the VIP less and
 * less often. The very first samples count at once.
 */
export function nextFlap(state: FlapState, sample: CheckSample, holder: boolean, nowMs: number): FlapState {
  const known = forget(state, nowMs);
  return sample.kind === 'ok' ? risen(known, nowMs) : fallen(known, sample.certain, holder, nowMs);
}

function risen(state: FlapState, nowMs: number): FlapState {
  const upright = { ...state, failuresInARow: 0 };
  switch (state.verdict) {
    case 'unknown':
      return { ...upright, verdict: 'ok', sinceMs: nowMs };
    case 'failed':
      return { ...upright, verdict: state.falls === 0 ? 'ok' : 'doubtful', sinceMs: nowMs };
    case 'doubtful':
      return nowMs - state.sinceMs >= holdMs(state.falls)
        ? { ...upright, verdict: 'ok', sinceMs: nowMs }
        : upright;
    case 'ok':
      return upright;
  }
}

function fallen(state: FlapState, certain: boolean, holder: boolean, nowMs: number): FlapState {
  const failuresInARow = state.failuresInARow + 1;
  const patience = holder ? flapLimits.failuresToFall.holder : flapLimits.failuresToFall.candidate;
  const needed = state.verdict === 'doubtful' ? 1 : patience;
  const falls = certain || failuresInARow >= needed;
  if (!falls || state.verdict === 'failed') return { ...state, failuresInARow };
  const counts = state.verdict !== 'unknown';
  return { verdict: 'failed', failuresInARow, falls: state.falls + (counts ? 1 : 0), sinceMs: nowMs };
}

/** Only a check that has been ok for long enough is forgiven, and then all at once. */
function forget(state: FlapState, nowMs: number): FlapState {
  const forgiven = state.verdict === 'ok' && nowMs - state.sinceMs >= flapLimits.forgetAfterMs;
  return forgiven ? { ...state, falls: 0 } : state;
}

function holdMs(falls: number): number {
  return Math.min(flapLimits.longestHoldMs, flapLimits.firstHoldMs * 2 ** Math.max(0, falls - 1));
}

/** For a status page: why the verdict is not what the last sample says; undefined where it is. */
export function explainFlap(state: FlapState, nowMs: number): string | undefined {
  if (state.verdict === 'doubtful') {
    const leftMs = Math.max(0, state.sinceMs + holdMs(state.falls) - nowMs);
    const times = state.falls === 1 ? 'once' : `${state.falls} times`;
    return `damped: the check has failed ${times}, it is trusted again after ${Math.ceil(leftMs / 1_000)} s without another failure`;
  }
  if (state.verdict === 'ok' && state.failuresInARow > 0)
    return `holding: ${state.failuresInARow} failed in a row are not enough for the holder to leave`;
  return undefined;
}
