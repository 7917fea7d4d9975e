import { afterFailedStart } from '../../engine/supervise/restart.ts';
import { type Emit as EmitAction, type Failure, logged, reportFailure } from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import type { Action, Job, VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;
type Emit = EmitAction<Action>;

/**
 * Begins a job; there is at most one at a time. A restart after a death skips the check: it uses the copy that ran before, so that a
 * file which has become invalid does not keep the node out.
 */
export function beginJob(state: State, job: Pick<Job, 'cause' | 'requests'>, now: number, emit: Emit): State {
  const next: State = { ...state, restart: { ...state.restart, at: undefined } };
  const begun = (stage: Job['stage']): State => ({ ...next, job: { ...job, since: now, stage } });
  if (job.cause === 'died' || job.cause === 'fallback') return proceed(begun('pending'), emit);
  const checks = state.checks + 1;
  emit({ kind: 'check', check: checks, refusedHash: refusedHash(state, now) });
  return { ...begun('checking'), checks };
}

/**
 * Continues a job whose configuration is accepted: a running keepalived reloads. Otherwise keepalived is started once nothing of the
 * previous one is left.
 */
export function proceed(state: State, emit: Emit): State {
  const { job, daemon, configuration } = state;
  if (job === undefined || configuration === undefined) return state;
  const at = (stage: Job['stage']): State => ({ ...state, job: { ...job, stage } });
  switch (daemon.kind) {
    case 'up':
      emit({ kind: 'reload', id: daemon.id, configuration });
      return at('reloading');
    case 'none':
      emit({ kind: 'start', configuration });
      return at('starting');
    case 'starting':
    case 'leaving':
    case 'dead':
      return at('pending');
  }
}

export function succeeded(state: State, id: ProcessId, now: number, emit: Emit): State {
  const { job, configuration } = state;
  if (job === undefined) return state;
  const reloaded = job.stage === 'reloading';
  const done = { generation: configuration?.number ?? 0, pid: id.pid, tookMs: Math.round(now - job.since) };
  emit(
    logged('info', reloaded ? 'keepalived-reloaded' : 'keepalived-started', { ...done, cause: job.cause }),
  );
  emit({ kind: 'keep-last-good' });
  emit({ kind: 'answer', requests: job.requests, result: done });
  const restarts = state.restarts + (job.cause === 'died' ? 1 : 0);
  const lastFailure = job.cause === 'died' || job.cause === 'fallback' ? state.lastFailure : undefined;
  const deadly = state.deadly?.sha256 === configuration?.sha256 ? undefined : state.deadly;
  return endJob({ ...state, lastGood: configuration, deadly, restarts, lastFailure }, now, emit);
}

/**
 * Ends a job with a failure. A running keepalived continues unchanged. Otherwise the last accepted configuration is tried at once, and
 * then the whole job is retried with backoff.
 */
export function jobFailed(state: State, failure: Failure, now: number, emit: Emit): State {
  const { job } = state;
  if (job === undefined) return state;
  const stillRuns = state.daemon.kind === 'up';
  const event = failure.stage === 'unchecked' ? 'configuration-not-applied' : 'configuration-refused';
  reportFailure(event, job, { failure, last: state.lastFailure }, { stillRuns }, emit);
  const next: State = { ...state, lastFailure: { ...failure, at: now } };
  if (next.daemon.kind === 'up') return endJob(next, now, emit);
  const isUnaccepted = failure.stage === 'check' || failure.stage === 'unchecked';
  if (isUnaccepted && next.configuration !== undefined) return fallBack(next, now, emit);
  if (next.restart.at !== undefined) return endJob(next, now, emit);
  return endJob({ ...next, restart: afterFailedStart(next.restart, now) }, now, emit);
}

/** Something else may have killed keepalived during the reload, and a list of nodes must not be refused forever. */
const DEADLY_TIMES = 2;
const DEADLY_MS = 600_000;

/** After a death with a configuration that has not run before: keepalived is started with the last good one. */
export function goBack(state: State, now: number, emit: Emit): State {
  const { configuration, lastGood, deadly } = state;
  if (configuration === undefined || lastGood === undefined || lastGood.sha256 === configuration.sha256)
    return state;
  emit(logged('error', 'falling-back-to-last-good', { generation: lastGood.number }));
  const { sha256 } = configuration;
  const times = deadly?.sha256 === sha256 ? deadly.times + 1 : 1;
  return { ...state, configuration: lastGood, deadly: { sha256, times, at: now } };
}

/** The hash of a configuration that ended keepalived twice: each retry of the monitor would end it again. */
function refusedHash({ deadly }: State, now: number): string | undefined {
  const isRefused = deadly !== undefined && deadly.times >= DEADLY_TIMES && now < deadly.at + DEADLY_MS;
  return isRefused ? deadly.sha256 : undefined;
}

function fallBack(state: State, now: number, emit: Emit): State {
  emit(logged('error', 'falling-back-to-last-good', { generation: state.configuration?.number }));
  return beginJob({ ...state, job: undefined }, { cause: 'fallback', requests: [] }, now, emit);
}

/** All requests made during the job lead to exactly one further job. */
export function endJob(state: State, now: number, emit: Emit): State {
  const next: State = { ...state, job: undefined, queued: [] };
  if (state.queued.length === 0) return next;
  return beginJob(next, { cause: 'request', requests: state.queued }, now, emit);
}
