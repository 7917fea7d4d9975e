import { logged } from '../../engine/supervise/step.ts';
import type { Action, Event, RetireReason, Retiring, Serving, State } from './state.ts';

/** Between SIGTERM and SIGKILL. */
export const KILL_AFTER_MS = 5_000;
/** In this last part of the time the remaining sessions are closed one by one, not all at once. */
const SHED_PART = 0.1;
const SHED_STEPS = 20;
/** What is left to a generation for which there is no room any more: its sessions are closed one by one all that time. */
export const CUT_SHORT_MS = 5_000;

type Emit = (action: Action) => void;
type Leaving = Pick<Serving, 'number' | 'master' | 'workers' | 'pulse'>;

/** Retires a generation: it stops accepting now, and its sessions have until the limit. */
export function retire(state: State, leaving: Leaving, reason: RetireReason, now: number, emit: Emit): State {
  const limitMs = reason === 'stopping' ? state.limits.drainTimeoutMs : state.limits.forceDeleteTimeoutMs;
  const retiring = drainUntil(
    { ...pick(leaving), reason, since: now, sent: 'soft-stop' },
    now,
    now + limitMs,
  );
  emit({ kind: 'soft-stop', generation: retiring });
  emit(logged('info', 'generation-draining', { generation: retiring.number, reason, limitMs }));
  return { ...state, retiring: [...state.retiring, retiring] };
}

function pick({ number, master, workers, pulse }: Leaving): Leaving {
  return { number, master, workers, ...(pulse && { pulse }) };
}

type Undated = Omit<Retiring, 'terminateAt' | 'nextShedAt'>;

/** Sets the deadline of a generation, and from it when the last sessions begin to be closed. */
export function drainUntil(generation: Undated, now: number, terminateAt: number): Retiring {
  const nextShedAt = terminateAt - (terminateAt - now) * SHED_PART;
  return { ...generation, terminateAt, nextShedAt };
}

/** Moves every later deadline of a retiring generation to `until`. */
export function hasten(state: State, now: number, until: number): State {
  const retiring = state.retiring.map((generation) =>
    generation.sent === 'soft-stop' && generation.terminateAt > until
      ? drainUntil(generation, now, until)
      : generation,
  );
  return { ...state, retiring };
}

/** Does what is due: closes sessions, sends SIGTERM, and SIGKILL five seconds later. */
export function advanceRetiring(state: State, now: number, emit: Emit): State {
  const retiring = state.retiring.map((generation) => advanceOne(generation, now, emit));
  const isSignalled = retiring.some(({ sent }, index) => sent !== state.retiring[index]?.sent);
  return { ...state, retiring, forced: state.forced || (isSignalled && state.phase !== 'running') };
}

function advanceOne(generation: Retiring, now: number, emit: Emit): Retiring {
  if (generation.sent === 'terminate' && now >= generation.terminateAt + KILL_AFTER_MS) {
    return sendSignal(generation, 'kill', now, emit);
  }
  if (generation.sent !== 'soft-stop') return generation;
  if (now >= generation.terminateAt) return sendSignal(generation, 'terminate', now, emit);
  if (now >= generation.nextShedAt) return shed(generation, now, emit);
  return generation;
}

/** The time to SIGKILL counts from the SIGTERM, even if that was late. */
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

/** Tells why sessions were ended. */
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

/** A draining generation does not notice by itself that a server has died: see `ProxyDriver`. */
export function compareServers(state: State, now: number, emit: Emit): State {
  const { serving } = state;
  const draining = drainingOf(state);
  if (serving === undefined || draining.length === 0 || now < state.compareServersAt) return state;
  emit({ kind: 'end-sessions-of-lost-servers', serving, draining });
  return { ...state, compareServersAt: now + COMPARE_EVERY_MS };
}

export function drainingOf(state: State): readonly Retiring[] {
  return state.retiring.filter(({ sent }) => sent === 'soft-stop');
}

/** The next deadlines of `advanceRetiring` and `compareServers`. */
export function retiringDeadlines(state: State): readonly number[] {
  const compares = state.serving !== undefined && drainingOf(state).length > 0;
  const ends = state.retiring.flatMap((generation) => {
    if (generation.sent === 'kill') return [];
    if (generation.sent === 'terminate') return [generation.terminateAt + KILL_AFTER_MS];
    return [Math.min(generation.nextShedAt, generation.terminateAt)];
  });
  return compares ? [...ends, state.compareServersAt] : ends;
}
