import { beat, type Pulse } from '../../engine/supervise/pulse.ts';
import { logged } from '../../engine/supervise/step.ts';
import { beginJob, endJob, startAfterEnd } from './job.ts';
import { sendSignal } from './retire.ts';
import type { Action, Event, Retiring, Serving, State } from './state.ts';

type Emit = (action: Action) => void;
type Polled = Extract<Event, { kind: 'polled' }>;

/** Polls are at least 200 ms apart, and a probe may start half a second late, so a hang is confirmed after 2 to 2.5 s. */
const HUNG_AFTER_POLLS = 8;

/** CPU time of one thread without an answer. Below this value clients wait; above it a new generation serves other clients. */
const BUSY_AFTER_MS = 2_000;
/** No event takes this long: the worker spins. HAProxy's own watchdog ends most of these after 2 to 4 s (docs/internals/decisions/0033). */
const SPINS_AFTER_MS = 30_000;
/** Minimum time between two starts. Clients that keep one worker after another busy must not start a new generation each time. */
const BESIDE_EVERY_MS = 10_000;
const MOST_BUSY = 2;
/** Time for a worker that answers again to accept the connections waiting at its listeners, which no other process can accept. */
const ACCEPTS_FOR_MS = 250;

/**
 * Replaces a hung generation. A hung worker serves nothing and cannot hand over its listeners, so it is killed and the next generation starts at
 * once. If only the master hangs, the worker serves until a new generation has taken over, and then drains as usual. A busy worker keeps its
 * connections while another generation starts.
 */
export function polled(state: State, event: Polled, now: number, emit: Emit): State {
  const { serving } = state;
  if (serving?.number === event.number) return servingPolled(state, serving, event, now, emit);
  const retiring = state.retiring.map((generation) =>
    generation.number === event.number ? retiringPolled(generation, event, now, emit) : generation,
  );
  return { ...state, retiring };
}

function servingPolled(state: State, serving: Serving, event: Polled, now: number, emit: Emit): State {
  const before = serving.pulse;
  const pulse = beat(before, event.lives, HUNG_AFTER_POLLS, now);
  const isBusy = busy(serving, event, emit);
  const beating: State = { ...state, serving: { ...serving, pulse, isBusy } };
  if (pulse.hung && event.hangs === 'master') {
    // A job in progress starts the next generation anyway. After a failed job, `restart` has the time of the next one.
    if (before?.hung !== true) report(serving, event, pulse, now, emit);
    if (before?.hung === true || state.job !== undefined) return beating;
    return beginJob(beating, { cause: 'hung', requests: [], config: serving.config }, now, emit);
  }
  if (!pulse.hung && !spins(event)) return startBeside(beating, isBusy, now, emit);
  report(serving, event, pulse, now, emit);
  const { number, master, workers } = serving;
  const times = { since: now, terminateAt: now, nextShedAt: now };
  const doomed: Retiring = { number, master, workers, reason: 'hung', sent: 'soft-stop', ...times };
  const killed = sendSignal(doomed, 'kill', now, emit);
  const without: State = { ...state, serving: undefined, retiring: [...state.retiring, killed] };
  return startAfterEnd(without, serving, now, emit);
}

function retiringPolled(generation: Retiring, event: Polled, now: number, emit: Emit): Retiring {
  // While the worker is healthy, a hung master costs nothing.
  if (generation.sent === 'kill' || event.hangs === 'master') return generation;
  const pulse = beat(generation.pulse, event.lives, HUNG_AFTER_POLLS, now);
  if (!pulse.hung && !spins(event))
    return acceptsAgain({ ...generation, pulse, isBusy: busy(generation, event, emit) }, event, now);
  report(generation, event, pulse, now, emit);
  return sendSignal({ ...generation, pulse }, 'kill', now, emit);
}

const spins = ({ busyMs = 0 }: Polled): boolean => busyMs >= SPINS_AFTER_MS;

function busy(generation: Serving | Retiring, { number, busyMs = 0 }: Polled, emit: Emit): boolean {
  const isBusy = busyMs >= BUSY_AFTER_MS;
  const { isBusy: wasBusy = false } = generation;
  if (isBusy && !wasBusy) emit({ kind: 'report-busy', generation, busyMs });
  if (wasBusy && !isBusy) emit(logged('info', 'generation-answers-again', { generation: number }));
  return isBusy;
}

function startBeside(state: State, isBusy: boolean, now: number, emit: Emit): State {
  const { job, serving, retiring } = state;
  // The job has not started a new generation yet.
  if (!isBusy && job?.cause === 'busy' && job.stage.kind === 'saving-state') return endJob(state, now, emit);
  const others = retiring.filter((generation) => generation.isBusy === true).length;
  const mayStart = job === undefined && now >= state.besideNotBefore && others < MOST_BUSY;
  if (!isBusy || !mayStart || serving === undefined) return state;
  const limited = { ...state, besideNotBefore: now + BESIDE_EVERY_MS };
  return beginJob(limited, { cause: 'busy', requests: [], config: serving.config }, now, emit);
}

/** A soft stop closes listeners. Connections waiting at them are lost unless another generation has the listeners too. */
function acceptsAgain(generation: Retiring, { lives }: Polled, now: number): Retiring {
  if (generation.sent !== 'nothing') return generation;
  const { softStopAt, ...waiting } = generation;
  if (generation.isBusy === true || !lives) return waiting;
  return { ...waiting, softStopAt: softStopAt ?? now + ACCEPTS_FOR_MS };
}

function report(generation: Serving | Retiring, event: Polled, pulse: Pulse, now: number, emit: Emit): void {
  const stillMs = Math.round(event.busyMs ?? now - pulse.silentSince);
  emit({ kind: 'report-hung', generation, hangs: event.hangs ?? 'worker', stillMs });
}
