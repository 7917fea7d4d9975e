import { monotonicMs } from '../system/monotonic-clock.ts';

/** A supervisor's decisions: pure, and all that an engine needs to know of it. */
export interface Decisions<State, Event, Action> {
  readonly advance: (
    state: State,
    event: Event,
    now: number,
  ) => { readonly state: State; readonly actions: readonly Action[] };
  /** When the next `tick` is due; undefined while only outside events can change anything. */
  readonly nextDeadline: (state: State) => number | undefined;
  readonly tick: Event;
}

/** Where decisions take effect. */
export interface Surroundings<State, Event, Action> {
  /**
   * Called with each new state before its actions are carried out: whoever kills us in between leaves nothing that
   * was not written down.
   */
  readonly keep: (state: State) => void;
  readonly act: (action: Action, dispatch: (event: Event) => void) => void;
}

export interface Engine<State, Event> {
  /** May be called from anywhere, from within an action too: events are taken one at a time and in order. */
  readonly dispatch: (event: Event) => void;
  readonly state: () => State;
}

/** Events in, actions out, with one timer for the next deadline. */
export function createEngine<State, Event, Action>(
  first: State,
  { advance, nextDeadline, tick }: Decisions<State, Event, Action>,
  { keep, act }: Surroundings<State, Event, Action>,
): Engine<State, Event> {
  let state = first;
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
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
    const transition = advance(state, event, monotonicMs());
    state = transition.state;
    keep(state);
    for (const action of transition.actions) act(action, dispatch);
  };
  const schedule = (): void => {
    clearTimeout(timer);
    const deadline = nextDeadline(state);
    if (deadline === undefined) return;
    timer = setTimeout(() => dispatch(tick), Math.max(1, Math.ceil(deadline - monotonicMs())));
  };
  return { dispatch, state: () => state };
}
