import { afterDeath, afterFailedStart } from '../../engine/supervise/restart.ts';
import {
  type Emit as EmitAction,
  type Failure,
  logged,
  type RequestId,
  reportFailure,
} from '../../engine/supervise/step.ts';
import type { Action, Job, Serving, State } from './state.ts';

type Emit = EmitAction<Action>;

/** The answer to every request to a stopping supervisor. */
export const stopping: Failure = { stage: 'stop', message: 'Cannot reload: the supervisor is stopping' };

/** Starts one job for all queued requests. */
export function beginReload(state: State, queued: readonly RequestId[], now: number, emit: Emit): State {
  return beginJob(state, { cause: 'request', requests: queued, config: 'live' }, now, emit);
}

/**
 * Starts the only job that may be in progress. Nothing is validated first, because a start is the check: HAProxy exits before it touches a socket, a
 * file or another process if it refuses the file, and no client notices (docs/internals/decisions/0089).
 */
export function beginJob(
  state: State,
  job: Pick<Job, 'cause' | 'requests' | 'config'>,
  now: number,
  emit: Emit,
): State {
  const next: State = { ...state, restart: { ...state.restart, at: undefined } };
  const begun: Job = { ...job, since: now, stage: { kind: 'saving-state' } };
  if (state.serving === undefined) return startGeneration(next, begun, emit);
  emit({ kind: 'save-state' });
  return { ...next, job: begun };
}

export function startGeneration(state: State, job: Job, emit: Emit): State {
  const number = state.nextNumber;
  emit({ kind: 'start', number, config: job.config, takeOver: state.serving !== undefined });
  return { ...state, nextNumber: number + 1, job: { ...job, stage: { kind: 'starting', number } } };
}

/** Handles a generation that ended before it served: a check supplies HAProxy's message if it refuses the file. */
export function findCause(state: State, job: Job, failure: Failure, emit: Emit): State {
  emit({ kind: 'check', config: job.config });
  return { ...state, job: { ...job, stage: { kind: 'checking', failure } } };
}

/** Handles a generation that failed to start. If another one serves, it keeps serving and the job ends with an answer. */
export function jobFailed(state: State, job: Job, failure: Failure, now: number, emit: Emit): State {
  const reasons = { failure, last: state.lastFailure };
  const fields = { config: job.config, stillServing: state.serving?.number };
  reportFailure('generation-refused', job, reasons, fields, emit);
  const next: State = { ...state, lastFailure: { ...failure, at: now } };
  const { serving } = next;
  if (serving !== undefined && serving.pulse?.hung !== true) return endJob(next, now, emit);
  if (serving === undefined && job.config === 'live' && next.hasLastGood) return fallBack(next, job, emit);
  return endJob({ ...next, restart: afterFailedStart(next.restart, now) }, now, emit);
}

/** Handles the end of the serving generation: starts the next one now, or after a pause if the last end was too recent. */
export function startAfterEnd(state: State, gone: Serving, now: number, emit: Emit): State {
  // A job in progress starts the next generation anyway.
  if (state.job !== undefined) return state;
  const restart = afterDeath(state.restart, now - gone.provenAt, now);
  const restarting: State = { ...state, restart };
  if (restart.at > now) return restarting;
  return beginJob(restarting, { cause: 'died', requests: [], config: gone.config }, now, emit);
}

function fallBack(state: State, job: Job, emit: Emit): State {
  emit(logged('error', 'falling-back-to-last-good', { cause: job.cause }));
  return startGeneration(state, { ...job, requests: [], config: 'last-good' }, emit);
}

/** Ends the job. All requests made during it lead to exactly one further job. */
export function endJob(state: State, now: number, emit: Emit): State {
  const next: State = { ...state, job: undefined, queued: [] };
  if (state.queued.length === 0) return next;
  return beginReload(next, state.queued, now, emit);
}
