import { noRestart } from '../../engine/supervise/restart.ts';
import type { Limits, State } from './state.ts';

/** The state before anything was examined. */
export function initialState(
  limits: Limits,
  start: { readonly nextNumber: number; readonly hasLastGood: boolean },
): State {
  return {
    phase: 'running',
    limits,
    nextNumber: start.nextNumber,
    serving: undefined,
    job: undefined,
    queued: [],
    changing: undefined,
    changes: [],
    changeCounts: { made: 0, repaired: 0, refused: 0, lastRefusal: undefined },
    reloadedForDrift: undefined,
    retiring: [],
    compareServersAt: 0,
    countRequestsAt: 0,
    restart: noRestart,
    besideNotBefore: 0,
    unanswered: [],
    hasLastGood: start.hasLastGood,
    forced: false,
    lastFailure: undefined,
  };
}
