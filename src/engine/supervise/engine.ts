import { monotonicMs } from '../system/time/monotonic-clock.ts';

/** A supervisor's decisions as pure functions; all the engine needs. */
export interface Decisions<State, Event, Action> {
  readonly advance: (
    state: State,
    event: Event,
    now: number,
  ) => { readonly state: State; readonly actions: readonly Action[] };
  /** When the next `tick` is due; undefined if only an external event can change anything. */
  readonly nextDeadline: (state: State) => number | undefined;
  readonly tick: Event;
  /** An action without an outcome after this time has failed. A safety net for the action's own timeout. */
  readonly limitMs: (action: Action) => number;
}

/** The source of an exception: an action, or the rest of a step. */
export type Failed<Event, Action> =
  | { readonly during: 'action'; readonly action: Action }
  | { readonly during: 'decision'; readonly event: Event }
  | { readonly during: 'record' | 'deadline' };

/** How decisions take effect. */
export interface Surroundings<State, Event, Action> {
  /** Called with each new state before its actions are executed, so that a killed supervisor leaves everything on record. */
  readonly keep: (state: State) => void;
  /** The promise settles once the action's own outcome was dispatched. */
  readonly act: (action: Action, dispatch: (event: Event) => void) => Promise<void> | void;
  /**
   * Called after an exception, or if an action's promise was rejected or never settled. Logs it and returns the event for the outcome; `again` if
   * the action must be repeated; undefined if a deadline of the state repeats it anyway.
   */
  readonly failed: (what: Failed<Event, Action>, error: unknown) => Event | 'again' | undefined;
}

export interface Engine<State, Event> {
  /** May be called from anywhere, even from within an action: events are handled one at a time and in order. Never throws. */
  readonly dispatch: (event: Event) => void;
  readonly state: () => State;
  /** Undefined while every due deadline is handled. */
  readonly trouble: () => string | undefined;
}

/** The pause before a failed deadline is retried. */
const AGAIN_MS = 1_000;

/**
 * Turns events into actions, with one timer for the next deadline. An exception costs only what threw: the rest of the
 * step, the queued events and the next deadline are still handled.
 */
export function createEngine<State, Event, Action>(
  first: State,
  { advance, nextDeadline, tick, limitMs }: Decisions<State, Event, Action>,
  { keep, act, failed }: Surroundings<State, Event, Action>,
): Engine<State, Event> {
  let state = first;
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  let pausedUntil = 0;
  const waiting: Event[] = [];

  const dispatch = (event: Event): void => {
    waiting.push(event);
    if (busy) return;
    busy = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) step(next);
    busy = false;
    schedule();
  };
  const step = (event: Event): void => {
    let actions: readonly Action[] = [];
    try {
      ({ state, actions } = advance(state, event, monotonicMs()));
      pausedUntil = 0;
    } catch (error) {
      // The deadline is still due: without a pause it would be retried in an endless loop.
      pausedUntil = monotonicMs() + AGAIN_MS;
      recover({ during: 'decision', event }, error);
    }
    try {
      keep(state);
    } catch (error) {
      recover({ during: 'record' }, error);
    }
    for (const action of actions) carryOut(action);
  };
  const carryOut = (action: Action): void => {
    const what = { during: 'action', action } as const;
    let given = false;
    const giveUp = (error: unknown): void => {
      if (given) return;
      given = true;
      if (recover(what, error) === 'again') setTimeout(() => carryOut(action), AGAIN_MS);
    };
    try {
      // Events that arrive after the action was given up are ignored.
      const outcome = act(action, (event) => given || dispatch(event));
      if (outcome !== undefined) void within(limitMs(action), outcome).catch(giveUp);
    } catch (error) {
      giveUp(error);
    }
  };
  const recover = (what: Failed<Event, Action>, error: unknown): 'again' | undefined => {
    try {
      const outcome = failed(what, error);
      if (outcome === 'again') return 'again';
      if (outcome !== undefined) dispatch(outcome);
    } catch {
      // Logging failed too. The next event must still be handled.
    }
    return undefined;
  };
  const deadlineNow = (): number | undefined => {
    try {
      return nextDeadline(state);
    } catch (error) {
      pausedUntil = monotonicMs() + AGAIN_MS;
      recover({ during: 'deadline' }, error);
      return 0;
    }
  };
  const schedule = (): void => {
    clearTimeout(timer);
    const deadline = deadlineNow();
    if (deadline === undefined) return;
    const pauseMs = Math.max(1, Math.ceil(Math.max(deadline, pausedUntil) - monotonicMs()));
    timer = setTimeout(() => dispatch(tick), pauseMs);
  };
  const overdue = createOverdueWatch(deadlineNow);
  return { dispatch, state: () => state, trouble: overdue.trouble };
}

async function within(limitMs: number, outcome: Promise<void>): Promise<void> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const limit = setTimeout(() => reject(new Error(`no end within ${limitMs} ms`)), limitMs);
  try {
    await Promise.race([outcome, never]);
  } finally {
    clearTimeout(limit);
  }
}

const LOOK_EVERY_MS = 1_000;
const TROUBLE_AFTER_LOOKS = 10;

/**
 * Detects unhandled deadlines: `trouble` reports one that was found overdue in ten consecutive polls, a second apart. Polls are counted, not
 * time: a frozen machine or a starved process makes none.
 */
function createOverdueWatch(nextDeadline: () => number | undefined): {
  readonly trouble: () => string | undefined;
} {
  let overdueLooks = 0;
  const look = (): void => {
    const deadline = nextDeadline();
    const isOverdue = deadline !== undefined && monotonicMs() - deadline > LOOK_EVERY_MS;
    overdueLooks = isOverdue ? overdueLooks + 1 : 0;
  };
  setInterval(look, LOOK_EVERY_MS).unref();
  return {
    trouble: () =>
      overdueLooks < TROUBLE_AFTER_LOOKS
        ? undefined
        : `the supervisor has not done what is due for ${overdueLooks} s, see "internal-error" in its log`,
  };
}
