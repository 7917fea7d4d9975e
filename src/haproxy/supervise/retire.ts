import { logged } from '../../engine/supervise/step.ts';
import type { Action, Event, RetireReason, Retiring, Serving, State } from './state.ts';

/** Time between SIGTERM and SIGKILL. */
export const KILL_AFTER_MS = 5_000;
/** In this last fraction of the time the remaining sessions are closed one by one instead of all at once. */
const SHED_PART = 0.1;
const SHED_STEPS = 20;
/** Time for a generation beyond the limit. Its sessions are closed one by one during all of it. */
export const CUT_SHORT_MS = 5_000;

/**
 * How long a generation still accepts connections after notice was given. The keepalived monitor polls five times a second and acts on the second bad
 * answer, and the VIP moves within a tenth of a second. The rest is for a busy node.
 */
const NOTICE_MS = 1_000;

type Emit = (action: Action) => void;
type Leaving = Pick<Serving, 'number' | 'master' | 'workers' | 'pulse' | 'isBusy'>;

/**
 * Retires a generation: it stops accepting now, and its sessions may last until the limit. A busy one could not hand over its listeners, so it stops
 * accepting once it answers again.
 */
export function retire(state: State, leaving: Leaving, reason: RetireReason, now: number, emit: Emit): State {
  const limitMs = reason === 'stopping' ? state.limits.drainTimeoutMs : state.limits.forceDeleteTimeoutMs;
  const undated = { ...pick(leaving), reason, since: now, sent: 'nothing' } as const;
  const retiring = drainUntil(undated, now, now + limitMs);
  const waits = leaving.isBusy === true && reason === 'replaced';
  return { ...state, retiring: [...state.retiring, waits ? retiring : softStop(retiring, now, emit)] };
}

function pick({ number, master, workers, pulse, isBusy }: Leaving): Leaving {
  return { number, master, workers, ...(pulse && { pulse }), ...(isBusy && { isBusy }) };
}

/**
 * Retires a serving generation for good: its health check fails first, and it accepts connections until clients have moved. Without that health check
 * in its configuration, it gets the signal to stop accepting at once.
 */
export function giveNotice(
  state: State,
  { config, ...leaving }: Leaving & Pick<Serving, 'config'>,
  now: number,
  emit: Emit,
): State {
  const limitMs = state.limits.drainTimeoutMs;
  const softStopAt = now + Math.min(NOTICE_MS, limitMs / 2);
  const undated = { ...pick(leaving), reason: 'stopping', since: now, sent: 'notice', softStopAt } as const;
  const generation = drainUntil(undated, now, now + limitMs);
  emit({ kind: 'give-notice', generation, config });
  return { ...state, retiring: [...state.retiring, generation] };
}

export function noticeGiven(
  state: State,
  { number, heeded }: Extract<Event, { kind: 'notice-given' }>,
  now: number,
  emit: Emit,
): State {
  const noticed = state.retiring.find((generation) => generation.number === number);
  if (noticed?.sent !== 'notice') return state;
  if (heeded) {
    const softStopInMs = (noticed.softStopAt ?? now) - now;
    emit(logged('info', 'notice-given', { generation: number, softStopInMs }));
    return state;
  }
  const retiring = state.retiring.map((each) => (each === noticed ? softStop(each, now, emit) : each));
  return { ...state, retiring };
}

function softStop(generation: Retiring, now: number, emit: Emit): Retiring {
  const stopped = { ...generation, sent: 'soft-stop' } as const;
  const { number, reason, terminateAt } = stopped;
  emit({ kind: 'soft-stop', generation: stopped });
  const limitMs = Math.round(terminateAt - now);
  emit(logged('info', 'generation-draining', { generation: number, reason, limitMs }));
  return stopped;
}

type Undated = Omit<Retiring, 'terminateAt' | 'nextShedAt'>;

/** Sets the deadline of a generation, and when to start closing its last sessions. */
export function drainUntil(generation: Undated, now: number, terminateAt: number): Retiring {
  const nextShedAt = terminateAt - (terminateAt - now) * SHED_PART;
  return { ...generation, terminateAt, nextShedAt };
}

/** Shortens every later deadline of a retiring generation to `until`. */
export function hasten(state: State, now: number, until: number): State {
  const retiring = state.retiring.map((generation) =>
    !isSignalled(generation) && generation.terminateAt > until
      ? drainUntil(generation, now, until)
      : generation,
  );
  return { ...state, retiring };
}

/** Takes due actions: closes sessions, sends SIGTERM, and SIGKILL five seconds later. */
export function advanceRetiring(state: State, now: number, emit: Emit): State {
  const retiring = state.retiring.map((generation) => advanceOne(generation, now, emit));
  const isForced = retiring.some(
    (generation, index) => isSignalled(generation) && generation.sent !== state.retiring[index]?.sent,
  );
  return { ...state, retiring, forced: state.forced || (isForced && state.phase !== 'running') };
}

function isSignalled({ sent }: Retiring): boolean {
  return sent === 'terminate' || sent === 'kill';
}

function advanceOne(generation: Retiring, now: number, emit: Emit): Retiring {
  if (generation.sent === 'terminate' && now >= generation.terminateAt + KILL_AFTER_MS) {
    return sendSignal(generation, 'kill', now, emit);
  }
  if (isSignalled(generation)) return generation;
  if (now >= generation.terminateAt) return sendSignal(generation, 'terminate', now, emit);
  if (generation.sent !== 'soft-stop')
    return now >= (generation.softStopAt ?? Infinity) ? softStop(generation, now, emit) : generation;
  if (now >= generation.nextShedAt) return shed(generation, now, emit);
  return generation;
}

/** Sends a signal. The time to SIGKILL counts from the SIGTERM, even if that was late. */
export function sendSignal(
  generation: Retiring,
  signal: 'terminate' | 'kill',
  now: number,
  emit: Emit,
): Retiring {
  emit({ kind: signal, generation });
  const fields = { generation: generation.number, pid: generation.master.pid, reason: generation.reason };
  if (signal === 'terminate') emit(logged('info', 'generation-terminated', fields));
  else emit(logged('warn', 'generation-killed', fields));
  return { ...generation, sent: signal, terminateAt: signal === 'terminate' ? now : generation.terminateAt };
}

function shed(generation: Retiring, now: number, emit: Emit): Retiring {
  const leftMs = generation.terminateAt - now;
  const shedMs =
    generation.cutShort === undefined
      ? (generation.terminateAt - generation.since) * SHED_PART
      : CUT_SHORT_MS;
  const stepMs = Math.max(20, shedMs / SHED_STEPS);
  emit({ kind: 'shed-sessions', generation, share: Math.min(1, stepMs / leftMs) });
  return { ...generation, nextShedAt: now + stepMs };
}

/** Reports why sessions were ended. */
export function sessionsEnded(
  state: State,
  { number, ended, for: cause }: Extract<Event, { kind: 'sessions-ended' }>,
  emit: Emit,
): State {
  const cutShort = state.retiring.find((generation) => generation.number === number)?.cutShort;
  const reason = cause === 'time' ? (cutShort ?? cause) : cause;
  emit(logged('info', 'draining-sessions-ended', { generation: number, ended, reason }));
  return { ...state, forced: state.forced || state.phase !== 'running' };
}

/** How often the servers of draining generations are compared with those of the serving one. */
const COMPARE_EVERY_MS = 1_000;

/** A draining generation does not notice that a server has died: see `ProxyDriver`. */
export function compareServers(state: State, now: number, emit: Emit): State {
  const { serving } = state;
  const draining = drainingOf(state);
  if (serving === undefined || draining.length === 0 || now < state.compareServersAt) return state;
  emit({ kind: 'end-sessions-of-lost-servers', serving, draining });
  return { ...state, compareServersAt: now + COMPARE_EVERY_MS };
}

/** After a stop, how long idle connections wait for another request, whose response closes them. */
const IDLE_FOR_MS = 5_000;
const COUNT_EVERY_MS = 1_000;

/** When the requests are first counted after a stop was requested. */
export function firstCountAt({ limits: { drainTimeoutMs } }: State, now: number): number {
  return now + Math.min(NOTICE_MS, drainTimeoutMs / 2) + Math.min(IDLE_FOR_MS, drainTimeoutMs / 4);
}

/** A draining HAProxy keeps idle connections until their next response. Without requests in progress it may end. */
export function countRequests(state: State, now: number, emit: Emit): State {
  const draining = drainingOf(state);
  if (state.phase === 'running' || draining.length === 0 || now < state.countRequestsAt) return state;
  emit({ kind: 'count-requests', draining });
  const everyMs = Math.min(COUNT_EVERY_MS, state.limits.drainTimeoutMs / 10);
  return { ...state, countRequestsAt: now + everyMs };
}

/** Ends a generation that has only idle connections. That costs no client a request, so it is not a forced end. */
export function requestsCounted(
  state: State,
  { number, requests }: Extract<Event, { kind: 'requests-counted' }>,
  now: number,
  emit: Emit,
): State {
  if (requests !== 0 || state.phase === 'running') return state;
  const retiring = state.retiring.map((generation) =>
    generation.number === number && generation.sent === 'soft-stop'
      ? sendSignal(generation, 'terminate', now, emit)
      : generation,
  );
  return { ...state, retiring };
}

function drainingOf(state: State): readonly Retiring[] {
  return state.retiring.filter(({ sent }) => sent === 'soft-stop');
}

/** The next deadlines of `advanceRetiring`, `compareServers` and `countRequests`. */
export function retiringDeadlines(state: State): readonly number[] {
  const compares = state.serving !== undefined && drainingOf(state).length > 0;
  const ends = state.retiring.flatMap((generation) => {
    if (generation.sent === 'kill') return [];
    if (generation.sent === 'terminate') return [generation.terminateAt + KILL_AFTER_MS];
    if (generation.sent === 'soft-stop') return [Math.min(generation.nextShedAt, generation.terminateAt)];
    return [Math.min(generation.softStopAt ?? Infinity, generation.terminateAt)];
  });
  const counts = state.phase !== 'running' && drainingOf(state).length > 0;
  return [...ends, ...(compares ? [state.compareServersAt] : []), ...(counts ? [state.countRequestsAt] : [])];
}
