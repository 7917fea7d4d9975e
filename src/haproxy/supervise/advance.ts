import { noRestart } from '../../engine/supervise/restart.ts';
import {
  type Emit as EmitAction,
  type Failure,
  logged,
  type RequestId,
  type Step,
  stepOf,
} from '../../engine/supervise/step.ts';
import { keepMemory, keepNumber } from './ceiling.ts';
import { changed, changeRequested, drifted, nextChange } from './change.ts';
import { polled } from './hang.ts';
import {
  beginJob,
  beginReload,
  endJob,
  findCause,
  jobFailed,
  startAfterEnd,
  startGeneration,
  stopping,
} from './job.ts';
import {
  advanceRetiring,
  compareServers,
  countRequests,
  firstCountAt,
  giveNotice,
  hasten,
  noticeGiven,
  requestsCounted,
  retire,
  retiringDeadlines,
  sessionsEnded,
} from './retire.ts';
import { type Action, type Event, generationsIn, type Limits, type Serving, type State } from './state.ts';

type Emit = EmitAction<Action>;

/**
 * Makes every decision of the supervisor: the result of an event in a state at a given time. It is pure, so any order of events can be tested without
 * a process. It guarantees that a healthy generation retires only for a proven one or because a stop was requested, that each request is answered
 * exactly once, and that at most one job is in progress.
 */
export function advance(state: State, event: Event, now: number): Step<State, Action> {
  return stepOf((emit) => finishIfEmpty(nextChange(handle(state, event, now, emit), now, emit), emit));
}

/** When the next `tick` is due. Undefined if only an external event can change anything. */
export function nextDeadline(state: State): number | undefined {
  const proving = state.job?.stage.kind === 'proving' ? [state.job.stage.until] : [];
  const restart = state.job === undefined && state.restart.at !== undefined ? [state.restart.at] : [];
  const deadlines = [...proving, ...restart, ...retiringDeadlines(state)];
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

function handle(state: State, event: Event, now: number, emit: Emit): State {
  switch (event.kind) {
    case 'booted':
      return booted(state, event.hasConfiguration, now, emit);
    case 'requested':
      return requested(state, event.request, now, emit);
    case 'change-requested':
      return changeRequested(state, event, emit);
    case 'drifted':
      return drifted(state, event.change);
    case 'changed':
      return changed(state, event, now, emit);
    case 'checked':
      return checked(state, event.failure, now, emit);
    case 'state-saved':
      return state.job?.stage.kind === 'saving-state' ? startGeneration(state, state.job, emit) : state;
    case 'started':
      return started(state, event, now, emit);
    case 'start-failed':
      return startFailed(state, event.number, event.message, emit);
    case 'proven':
      return proven(state, event, now, emit);
    case 'alone':
      return answerHeld(state, event.number, emit);
    case 'exited':
      return exited(state, event.number, event.how, now, emit);
    case 'last-good-kept':
      return { ...state, hasLastGood: event.kept };
    case 'polled':
      return polled(state, event, now, emit);
    case 'measured':
      return keepMemory(state, event.bytes, now, emit);
    case 'sessions-ended':
      return sessionsEnded(state, event, emit);
    case 'requests-counted':
      return requestsCounted(state, event, now, emit);
    case 'notice-given':
      return noticeGiven(state, event, now, emit);
    case 'tick':
      return tick(state, now, emit);
    case 'stop':
      return stop(state, now, emit);
  }
}

function booted(state: State, hasConfiguration: boolean, now: number, emit: Emit): State {
  // An earlier supervisor may have died between the decision and the action.
  for (const generation of state.retiring) emit({ kind: 'soft-stop', generation });
  if (hasConfiguration || state.hasLastGood)
    return beginJob(state, { cause: 'boot', requests: [], config: 'live' }, now, emit);
  emit(logged('info', 'waiting-for-configuration'));
  return state;
}

function requested(state: State, request: RequestId, now: number, emit: Emit): State {
  if (state.phase !== 'running') {
    emit({ kind: 'answer', requests: [request], result: stopping });
    return state;
  }
  // A change in progress ends first: the new generation must not get half of it.
  if (state.job !== undefined || state.changing !== undefined)
    return { ...state, queued: [...state.queued, request] };
  return beginReload(state, [request], now, emit);
}

function checked(state: State, failure: Failure | undefined, now: number, emit: Emit): State {
  const { job } = state;
  if (job?.stage.kind !== 'checking') return state;
  const start = job.stage.failure;
  const isUnchecked = failure?.stage === 'unchecked';
  const cause = isUnchecked
    ? { ...failure, message: `${start.message}; ${failure.message}` }
    : (failure ?? start);
  return jobFailed(state, job, cause, now, emit);
}

function started(state: State, event: Extract<Event, { kind: 'started' }>, now: number, emit: Emit): State {
  const { job } = state;
  const { number, master, configSha256, revision } = event;
  if (job?.stage.kind !== 'starting' || job.stage.number !== number) {
    return retire(state, { number, master, workers: [] }, 'stopping', now, emit);
  }
  const timeoutMs = startTimeoutMs(state.limits, event);
  emit({ kind: 'prove', number, master, timeoutMs });
  const until = now + timeoutMs;
  const stage = { kind: 'proving', number, master, configSha256, revision, timeoutMs, until } as const;
  return { ...state, job: { ...job, stage } };
}

/** The size of two thousand routes. HAProxy reads them in some tenths of a second, on a busy machine in seconds. */
const START_BYTES = 2 * 1024 * 1024;
/** Certificates take most of the startup time: 0.7 s for 500. */
const START_FILES = 500;

/** A large configuration takes longer to read. Waiting for it costs clients nothing, because the old generation serves. */
function startTimeoutMs(
  { startTimeoutMs: eachMs }: Limits,
  { configBytes, setFiles }: Extract<Event, { kind: 'started' }>,
): number {
  return eachMs * Math.max(1, Math.ceil(configBytes / START_BYTES + setFiles / START_FILES));
}

function startFailed(state: State, number: number, message: string, emit: Emit): State {
  const { job } = state;
  if (job?.stage.kind !== 'starting' || job.stage.number !== number) return state;
  return findCause(state, job, { stage: 'start', message }, emit);
}

/** For listeners that were not handed over. Longer than it takes to kill a hung worker. */
const ALONE_WITHIN_MS = 5_000;

function proven(
  state: State,
  { number, workers, isAlone }: Extract<Event, { kind: 'proven' }>,
  now: number,
  emit: Emit,
): State {
  const { job, serving: previous } = state;
  if (job?.stage.kind !== 'proving' || job.stage.number !== number) return state;
  const { config, cause, requests } = job;
  const { master, configSha256, revision } = job.stage;
  const result = { generation: number, pid: master.pid, tookMs: Math.round(now - job.since) };
  emit(logged('info', 'generation-serving', { ...result, config, cause }));
  // New connections to the other listeners may still be lost with them.
  const isHeld = !isAlone && requests.length > 0;
  if (isHeld) emit({ kind: 'wait-until-alone', number, timeoutMs: ALONE_WITHIN_MS });
  else emit({ kind: 'answer', requests, result });
  const held = isHeld ? [{ number, requests, served: result }] : [];
  const serving: Serving = { number, master, workers, config, configSha256, revision, provenAt: now };
  const lastFailure = config === 'live' ? undefined : state.lastFailure;
  const next: State = { ...state, serving, lastFailure, unanswered: [...state.unanswered, ...held] };
  // The previous generation still gets some of the clients until it retires.
  const retired = previous === undefined ? next : retire(next, previous, 'replaced', now, emit);
  if (config === 'live') emit({ kind: 'keep-last-good', revision });
  return endJob(keepNumber(retired, now, emit), now, emit);
}

function answerHeld(state: State, number: number, emit: Emit): State {
  for (const { requests, served } of state.unanswered.filter((each) => each.number === number))
    emit({ kind: 'answer', requests, result: served });
  return { ...state, unanswered: state.unanswered.filter((each) => each.number !== number) };
}

function exited(state: State, number: number, how: string, now: number, emit: Emit): State {
  const workers = generationsIn(state).find((each) => each.number === number)?.workers ?? [];
  emit({ kind: 'clean-up', number, workers });
  const { job, serving } = state;
  if (job?.stage.kind === 'proving' && job.stage.number === number) {
    const message = `Cannot start generation ${number}: it ended with ${how} before it served, expected it to keep running`;
    return findCause(state, job, { stage: 'start', message }, emit);
  }
  if (serving?.number === number) return servingDied(state, serving, how, now, emit);
  return retiringGone(state, number, how, now, emit);
}

function servingDied(state: State, serving: Serving, how: string, now: number, emit: Emit): State {
  const servedMs = Math.round(now - serving.provenAt);
  const fields = { generation: serving.number, pid: serving.master.pid, how, servedMs };
  emit(logged('error', 'generation-died', fields));
  return startAfterEnd({ ...state, serving: undefined }, serving, now, emit);
}

function retiringGone(state: State, number: number, how: string, now: number, emit: Emit): State {
  const gone = state.retiring.find((generation) => generation.number === number);
  if (gone === undefined) return state;
  const fields = { generation: number, how, reason: gone.reason, afterMs: Math.round(now - gone.since) };
  emit(logged('info', 'generation-gone', fields));
  return { ...state, retiring: state.retiring.filter((generation) => generation !== gone) };
}

function tick(state: State, now: number, emit: Emit): State {
  const next = countRequests(compareServers(advanceRetiring(state, now, emit), now, emit), now, emit);
  const { job, restart } = next;
  if (job?.stage.kind === 'proving' && now >= job.stage.until) {
    return notProven(next, now, emit);
  }
  if (job === undefined && restart.at !== undefined && now >= restart.at) {
    return beginJob(next, { cause: 'retry', requests: [], config: 'live' }, now, emit);
  }
  return next;
}

function notProven(state: State, now: number, emit: Emit): State {
  const { job } = state;
  if (job?.stage.kind !== 'proving') return state;
  const { number, master, timeoutMs } = job.stage;
  const message =
    `Cannot prove that generation ${number} serves: the stats socket had no answer from its workers within ` +
    `${timeoutMs} ms, expected "stats socket" in global at the supervisor's --stats-socket`;
  const retired = retire(state, { number, master, workers: [] }, 'unproven', now, emit);
  return jobFailed(retired, job, { stage: 'prove', message }, now, emit);
}

/** The first call gives notice, then drains. A second call ends the remaining processes. */
function stop(state: State, now: number, emit: Emit): State {
  if (state.phase !== 'running') return tick(hasten(state, now, now), now, emit);
  const { job, serving } = state;
  emit(logged('info', 'stopping', { drainTimeoutMs: state.limits.drainTimeoutMs }));
  for (const { requests, served } of state.unanswered) emit({ kind: 'answer', requests, result: served });
  const changes = [...(state.changing === undefined ? [] : [state.changing]), ...state.changes];
  const waiting = [...(job?.requests ?? []), ...state.queued, ...changes.flatMap(({ requests }) => requests)];
  emit({ kind: 'answer', requests: waiting, result: stopping });
  const candidate = job?.stage.kind === 'proving' ? [{ ...job.stage, workers: [] }] : [];
  const cleared = { ...state, job: undefined, queued: [], unanswered: [], changing: undefined, changes: [] };
  const countRequestsAt = firstCountAt(state, now);
  const idle: State = {
    ...cleared,
    phase: 'stopping',
    serving: undefined,
    restart: noRestart,
    countRequestsAt,
  };
  const hurried = hasten(idle, now, now + state.limits.drainTimeoutMs);
  const noticed = serving === undefined ? hurried : giveNotice(hurried, serving, now, emit);
  return candidate.reduce((next, each) => retire(next, each, 'stopping', now, emit), noticed);
}

function finishIfEmpty(state: State, emit: Emit): State {
  if (state.phase !== 'stopping' || state.retiring.length > 0) return state;
  emit({ kind: 'finish' });
  return { ...state, phase: 'stopped' };
}
