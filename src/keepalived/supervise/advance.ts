import { beat } from '../../engine/supervise/pulse.ts';
import {
  type Emit as EmitAction,
  type Failure,
  logged,
  type RequestId,
  type Step,
  stepOf,
} from '../../engine/supervise/step.ts';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import { endDaemon, exited, kill, logKilled, reaped, stoppingFailure, sweepWhenDue, swept } from './end.ts';
import { notified, reported } from './instances.ts';
import { beginJob, jobFailed, proceed, succeeded } from './job.ts';
import type { Action, Daemon, Event, EventOf, VrrpRequest, VrrpSupervisorState } from './state.ts';

type State = VrrpSupervisorState;
type Emit = EmitAction<Action>;

/** keepalived reports its first state about ten milliseconds after its start. Without a FIFO it reports none. */
const START_PATIENCE_MS = 3_000;

const MOST_LOGGED = 8;

/**
 * Makes every decision of the supervisor. It is pure, so any order of events can be tested without keepalived. It guarantees that
 * keepalived starts only if no earlier process and no VIP is left, that a refused configuration changes nothing, and that each request is
 * answered exactly once.
 */
export function advance(state: State, event: Event, now: number): Step<State, Action> {
  return stepOf((emit) => finishIfGone(handle(state, event, now, emit), emit));
}

/** When the next `tick` is due; undefined if only another event can change the state. */
export function nextDeadline({ daemon, job, restart }: State): number | undefined {
  const daemonAt = deadlineOf(daemon);
  const restartAt = job === undefined && daemon.kind === 'none' ? restart.at : undefined;
  const deadlines = [daemonAt, restartAt].filter((at) => at !== undefined);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

function deadlineOf(daemon: Daemon): number | undefined {
  switch (daemon.kind) {
    case 'starting':
      return daemon.until;
    case 'leaving':
      return daemon.killed ? undefined : daemon.killAt;
    case 'dead':
      return daemon.stage === 'waiting' ? daemon.sweepAt : undefined;
    case 'none':
    case 'up':
      return undefined;
  }
}

function handle(state: State, event: Event, now: number, emit: Emit): State {
  switch (event.kind) {
    case 'booted':
      return booted(state, event, now, emit);
    case 'requested':
      return requested(state, event.what, event.request, now, emit);
    case 'accepted':
      return awaits(state, event.check)
        ? proceed({ ...state, configuration: event.configuration }, emit)
        : state;
    case 'refused':
      return awaits(state, event.check) ? jobFailed(state, event.failure, now, emit) : state;
    case 'started':
      return started(state, event.id, now, emit);
    case 'start-failed':
      return jobFailed(state, { stage: 'start', message: event.message }, now, emit);
    case 'reported':
      return confirmed(state, event, now, emit);
    case 'not-confirmed':
      return notConfirmed(state, event.id, now, emit);
    case 'notified':
      // A line that keepalived wrote before its death may be read afterwards. A dead keepalived holds no VIP.
      if (state.daemon.kind === 'dead' || state.daemon.kind === 'none') return state;
      return firstSign(notified(state, event, now, emit), now, emit);
    case 'log-line':
      return { ...state, logged: [...state.logged, { words: event.words, at: now }].slice(-MOST_LOGGED) };
    case 'polled':
      return polled(state, event, now, emit);
    case 'killed':
      logKilled(state, event.id, emit);
      return state;
    case 'exited':
      return exited(state, event.id, event.how, now, emit);
    case 'reaped':
      return reaped(state, now, emit);
    case 'swept':
      return tick(swept(state, event, now, emit), now, emit);
    case 'tick':
      return tick(state, now, emit);
    case 'stop':
      return stop(state, now, emit);
  }
}

function booted(state: State, event: EventOf<'booted'>, now: number, emit: Emit): State {
  const { adopted, hasConfiguration } = event;
  if (adopted === undefined) emit({ kind: 'reap' });
  else emit(logged('warn', 'keepalived-adopted', { pid: adopted.pid }));
  const daemon: Daemon = adopted === undefined ? state.daemon : { kind: 'up', id: adopted, since: now };
  const next: State = { ...state, daemon };
  const { configuration } = state;
  if (adopted !== undefined && configuration !== undefined) emit({ kind: 'ask', id: adopted, configuration });
  if (hasConfiguration) return beginJob(next, { cause: 'boot', requests: [] }, now, emit);
  emit(logged('info', 'waiting-for-configuration'));
  return next;
}

function requested(state: State, what: VrrpRequest, request: RequestId, now: number, emit: Emit): State {
  const refuse = (failure: Failure): State => {
    emit({ kind: 'answer', requests: [request], result: failure });
    return state;
  };
  if (state.phase !== 'running')
    return what === 'stop' && state.phase === 'stopping'
      ? waitForEnd(state, request)
      : refuse(stoppingFailure);
  if (what === 'stop') return endDaemon(waitForEnd({ ...state, wanted: 'down' }, request), now, emit);
  if (what === 'reload' && state.wanted === 'down') return refuse(downFailure);
  if (state.job !== undefined) return { ...state, queued: [...state.queued, request] };
  return beginJob(
    { ...state, wanted: 'up' },
    { cause: what === 'start' ? 'start' : 'request', requests: [request] },
    now,
    emit,
  );
}

const downFailure: Failure = {
  stage: 'stop',
  message: 'Cannot reload: keepalived was stopped on request, expected "start" first',
};

function waitForEnd(state: State, request: RequestId): State {
  return { ...state, stopping: [...state.stopping, request] };
}

function awaits({ job, checks }: State, check: number): boolean {
  return job?.stage === 'checking' && checks === check;
}

function started(state: State, id: ProcessId, now: number, emit: Emit): State {
  const since = now;
  if (state.wanted !== 'up' || state.phase !== 'running')
    return endDaemon({ ...state, daemon: { kind: 'up', id, since } }, now, emit);
  return { ...state, daemon: { kind: 'starting', id, since, until: now + START_PATIENCE_MS } };
}

/** keepalived's first message shows that it is up and handles signals. */
function firstSign(state: State, now: number, emit: Emit): State {
  const { daemon } = state;
  if (daemon.kind !== 'starting') return state;
  const { id, since } = daemon;
  const next: State = { ...state, daemon: { kind: 'up', id, since } };
  return next.job?.stage === 'starting' ? succeeded(next, id, now, emit) : next;
}

/**
 * keepalived has reported no state, because its configuration does not use our FIFO. Its states are read from a dump now, and whenever
 * an address disagrees with them.
 */
function silentStart(state: State, id: ProcessId, now: number, emit: Emit): State {
  const { configuration } = state;
  emit(logged('warn', 'no-transition-received', { fifo: configuration?.notifyFifo }));
  if (configuration !== undefined) emit({ kind: 'ask', id, configuration });
  return firstSign(state, now, emit);
}

function confirmed(state: State, event: EventOf<'reported'>, now: number, emit: Emit): State {
  const { daemon } = state;
  if (daemon.kind !== 'up' || daemon.id !== event.id) return state;
  const next = reported(state, event, now, emit);
  const proven = next.job?.stage === 'reloading' && event.number === next.configuration?.number;
  return proven ? succeeded(next, daemon.id, now, emit) : next;
}

function notConfirmed(state: State, id: ProcessId, now: number, emit: Emit): State {
  const { daemon, job } = state;
  if (job?.stage !== 'reloading' || daemon.kind !== 'up' || daemon.id !== id) return state;
  const message =
    'Cannot prove that keepalived runs on the new configuration: its dump does not show it, expected it after SIGHUP; with reload_check_config this needs SETGID';
  return jobFailed(state, { stage: 'prove', message }, now, emit);
}

function tick(state: State, now: number, emit: Emit): State {
  const { daemon, job, restart } = state;
  if (daemon.kind === 'starting' && now >= daemon.until) return silentStart(state, daemon.id, now, emit);
  if (daemon.kind === 'leaving' && !daemon.killed && now >= daemon.killAt) return kill(state, daemon, emit);
  if (daemon.kind === 'dead') return sweepWhenDue(state, now, emit);
  if (daemon.kind !== 'none' || job !== undefined || state.wanted !== 'up') return state;
  if (restart.at === undefined || now < restart.at) return state;
  return beginJob(
    state,
    { cause: state.configuration === undefined ? 'retry' : 'died', requests: [] },
    now,
    emit,
  );
}

/** The first request makes keepalived resign; a second one kills it. */
function stop(state: State, now: number, emit: Emit): State {
  if (state.phase === 'stopped') return state;
  if (state.phase === 'running') emit(logged('info', 'stopping'));
  else if (state.daemon.kind === 'leaving' && !state.daemon.killed) return kill(state, state.daemon, emit);
  return endDaemon({ ...state, phase: 'stopping', wanted: 'down' }, now, emit);
}

function finishIfGone(state: State, emit: Emit): State {
  if (state.phase !== 'stopping' || state.daemon.kind !== 'none') return state;
  emit({ kind: 'finish' });
  return { ...state, phase: 'stopped' };
}

/** Polls are at least 200 ms apart: a wake after 0.6 s of silence, and a kill after 2.4 s. */
const WAKE_AFTER_POLLS = 3;
const HUNG_AFTER_POLLS = 12;

/**
 * Replaces a keepalived that is not scheduled any more: its VIP is still on this node, although a peer took over long ago. An idle
 * keepalived (FAULT, no peers, no monitor) may sleep for any time, so it is woken before it counts as hung.
 */
function polled(state: State, { id, vitals }: EventOf<'polled'>, now: number, emit: Emit): State {
  const { daemon } = state;
  if (daemon.kind !== 'up' || daemon.id !== id || daemon.pulse?.hung === true) return state;
  const before = daemon.pulse;
  const { switches, starved, stopped } = vitals;
  const lives = !stopped && (starved || switches !== before?.switches);
  const pulse = { ...beat(before, lives, HUNG_AFTER_POLLS, now), switches };
  const { hung, silentPolls, silentSince } = pulse;
  if (hung) {
    const fields = { pid: id.pid, stopped, stillMs: Math.round(now - silentSince) };
    emit(logged('error', 'keepalived-hung', fields));
    emit({ kind: 'kill', id });
  } else if (silentPolls > 0 && silentPolls % WAKE_AFTER_POLLS === 0) emit({ kind: 'wake', id });
  return { ...state, daemon: { ...daemon, pulse } };
}
