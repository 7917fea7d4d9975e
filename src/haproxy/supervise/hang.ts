import { beat, type Pulse } from '../../engine/supervise/pulse.ts';
import { beginJob, startAfterEnd } from './job.ts';
import { sendSignal } from './retire.ts';
import type { Action, Event, Retiring, Serving, State } from './state.ts';

type Emit = (action: Action) => void;
type Looked = Extract<Event, { kind: 'looked' }>;

/**
 * Looks are at least 200 ms apart, and a question may start half a second late. So a hang is confirmed after 2 to 2.5
 * s.
 */
const HUNG_AFTER_LOOKS = 8;

/**
 * Replaces a generation that hangs. A hung worker serves nothing and cannot give up its listeners: it is killed, and
 * the next generation starts at once. If only the master hangs, the worker serves until a new generation has taken
 * over, and then drains as usual.
 */
export function looked(state: State, event: Looked, now: number, emit: Emit): State {
  const { serving } = state;
  if (serving?.number === event.number) return lookedAtServing(state, serving, event, now, emit);
  const retiring = state.retiring.map((generation) =>
    generation.number === event.number ? lookedAtRetiring(generation, event, now, emit) : generation,
  );
  return { ...state, retiring };
}

function lookedAtServing(state: State, serving: Serving, event: Looked, now: number, emit: Emit): State {
  const before = serving.pulse;
  const pulse = beat(before, event.lives, HUNG_AFTER_LOOKS, now);
  const beating: State = { ...state, serving: { ...serving, pulse } };
  if (!pulse.hung) return beating;
  if (event.hangs === 'master') {
    // A job under way starts the next generation anyway. After a failed one, `restart` says when the next is due.
    if (before?.hung !== true) report(serving, event, pulse, now, emit);
    if (before?.hung === true || state.job !== undefined) return beating;
    return beginJob(beating, { cause: 'hung', requests: [], config: serving.config }, now, emit);
  }
  report(serving, event, pulse, now, emit);
  const { number, master, workers } = serving;
  const times = { since: now, terminateAt: now, nextShedAt: now };
  const doomed: Retiring = { number, master, workers, reason: 'hung', sent: 'soft-stop', ...times };
  const killed = sendSignal(doomed, 'kill', now, emit);
  const without: State = { ...state, serving: undefined, retiring: [...state.retiring, killed] };
  return startAfterEnd(without, serving, now, emit);
}

function lookedAtRetiring(generation: Retiring, event: Looked, now: number, emit: Emit): Retiring {
  // While the worker is healthy, a master that hangs costs nothing.
  if (generation.sent === 'kill' || event.hangs === 'master') return generation;
  const pulse = beat(generation.pulse, event.lives, HUNG_AFTER_LOOKS, now);
  if (!pulse.hung) return { ...generation, pulse };
  report(generation, event, pulse, now, emit);
  return sendSignal({ ...generation, pulse }, 'kill', now, emit);
}

function report(generation: Serving | Retiring, event: Looked, pulse: Pulse, now: number, emit: Emit): void {
  const stillMs = Math.round(now - pulse.stillSince);
  emit({ kind: 'report-hung', generation, hangs: event.hangs ?? 'worker', stillMs });
}
