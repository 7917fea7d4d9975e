import { monotonicMs } from '../system/time/monotonic-clock.ts';

/** A supervisor's decisions as pure functions. */
export interface Decisions<State, Event, Action> {
  readonly advance: (
    state: State,
    event: Event,
    now: number,
  ) => { readonly state: State; readonly actions: readonly Action[] };
  /** When the next `tick` is due. Undefined if only an external event can change anything. */
  readonly nextDeadline: (state: State) => number | undefined;
  readonly tick: Event;
  /** An action that has no outcome after this time has failed. A safety net behind the action's own timeout. */
  readonly limitMs: (action: Action) => number;
}

/** What threw an exception: an action, or the rest of a step. */
export type Failed<Event, Action> =
  | { readonly during: 'action'; readonly action: Action }
  | { readonly during: 'decision'; readonly event: Event }
  | { readonly during: 'record' | 'deadline' };

/** Carries out the decisions. */
export interface Surroundings<State, Event, Action> {
  /** Called with each new state before its actions run, so that the record is complete even if the supervisor is killed. */
  readonly keep: (state: State) => void;
  /** Carries out an action and dispatches its outcome. The promise settles after that. */
  readonly act: (action: Action, dispatch: (event: Event) => void) => Promise<void> | void;
  /**
   * Called after an exception, or if an action's promise was rejected or did not settle in time. Logs the failure and returns an event as the
   * outcome, `again` to repeat the action, or undefined if a deadline of the state repeats it anyway.
   */
  readonly failed: (what: Failed<Event, Action>, error: unknown) => Event | 'again' | undefined;
}

export interface Engine<State, Event> {
  /** Handles an event after all earlier ones. May be called at any time, even from within an action. Never throws. */
  readonly dispatch: (event: Event) => void;
  readonly state: () => State;
  /** Why a due deadline is not handled; undefined if all are. */
  readonly trouble: () => string | undefined;
}

/** The pause before a failed deadline is retried. */
const AGAIN_MS = 1_000;

/**
 * Turns events into actions, with one timer for the next deadline. An exception stops only the part that threw: the rest of the step, the queued
 * events and the next deadline are still handled.
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
      // The deadline is still due. Without a pause it would be retried in a busy loop.
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
      // Events from an action that was given up are ignored.
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
  const limit = setTimeout(() => reject(new Error(`no outcome within ${limitMs} ms`)), limitMs);
  try {
    await Promise.race([outcome, never]);
  } finally {
    clearTimeout(limit);
  }
}

const POLL_EVERY_MS = 1_000;
const TROUBLE_AFTER_POLLS = 10;

/**
 * Detects deadlines that are not handled: `trouble` reports one that ten consecutive polls, a second apart, found overdue. It counts polls, not time,
 * because a frozen machine or a starved process does not poll.
 */
function createOverdueWatch(nextDeadline: () => number | undefined): {
  readonly trouble: () => string | undefined;
} {
  let overduePolls = 0;
  const poll = (): void => {
    const deadline = nextDeadline();
    const isOverdue = deadline !== undefined && monotonicMs() - deadline > POLL_EVERY_MS;
    overduePolls = isOverdue ? overduePolls + 1 : 0;
  };
  setInterval(poll, POLL_EVERY_MS).unref();
  return {
    trouble: () =>
      overduePolls < TROUBLE_AFTER_POLLS
        ? undefined
        : `the supervisor's next action has been overdue for ${overduePolls} s, see "internal-error" in its log`,
  };
}
