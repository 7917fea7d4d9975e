import type { Program } from '../model/program.ts';
import type { Answer } from '../protocol/answer.ts';
import { monotonicMs } from '../system/monotonic-clock.ts';
import { processEpoch } from '../system/processes.ts';
import { act, type Effects } from './act.ts';
import { advance, nextDeadline } from './advance.ts';
import { adopt, goneOf } from './left-over.ts';
import { createRecorder, readRecord } from './record.ts';
import { type Event, initialState, type Limits, type RequestId, type State } from './state.ts';
import { describeState } from './status.ts';

export interface SupervisorOptions {
  readonly program: Program;
  readonly limits: Limits;
  /** Where the pids and start times of everything that runs are written down. */
  readonly recordPath: string;
  readonly log: Effects['log'];
}

export interface Supervisor {
  /** Resolves when the reload is done, one way or the other. */
  readonly reload: () => Promise<Answer>;
  readonly status: () => Promise<Answer>;
  /** The first call drains, a second one ends what still drains. */
  readonly stop: () => void;
  /** Resolves once everything that was supervised is gone. */
  readonly finished: Promise<void>;
}

/** Adopts what an earlier supervisor left, starts what is configured, and keeps it running until it is stopped. */
export async function createSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { program, limits, recordPath, log } = options;
  const epoch = processEpoch();
  const record = readRecord(recordPath, epoch);
  const fresh = initialState(limits, { nextNumber: 1, hasLastGood: await program.hasLastGood() });
  const found = record === undefined ? fresh : await adopt(fresh, record, program, monotonicMs());
  const requests = createRequests();
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const keep = createRecorder(recordPath, epoch, log);
  const engine = createEngine(found, { program, log, answer: requests.answer, finish }, keep);
  watchLeftOvers(found, engine.dispatch);
  engine.dispatch({ kind: 'booted', hasConfiguration: await program.hasConfiguration() });
  return {
    reload: () => requests.open((request) => engine.dispatch({ kind: 'requested', request })),
    status: () => statusOf(engine.state(), program),
    stop: () => engine.dispatch({ kind: 'stop' }),
    finished,
  };
}

interface Engine {
  readonly dispatch: (event: Event) => void;
  readonly state: () => State;
}

/** Events in, actions out, one at a time and in order, with one timer for the next deadline. */
function createEngine(
  first: State,
  outside: Omit<Effects, 'dispatch'>,
  keep: (state: State) => void,
): Engine {
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
    // On record before the process exists: whoever kills us now leaves nothing that the next one cannot find.
    keep(state);
    for (const action of transition.actions) act(action, { ...outside, dispatch });
  };
  const schedule = (): void => {
    clearTimeout(timer);
    const deadline = nextDeadline(state);
    if (deadline === undefined) return;
    timer = setTimeout(() => dispatch({ kind: 'tick' }), Math.max(1, Math.ceil(deadline - monotonicMs())));
  };
  return { dispatch, state: () => state };
}

/** Requests that wait for an answer, by number. */
function createRequests(): {
  readonly open: (begin: (request: RequestId) => void) => Promise<Answer>;
  readonly answer: (request: RequestId, answer: Answer) => void;
} {
  const waiting = new Map<RequestId, (answer: Answer) => void>();
  let last = 0;
  return {
    open: (begin) => {
      const request = ++last;
      return new Promise((resolve) => {
        waiting.set(request, resolve);
        begin(request);
      });
    },
    answer: (request, answer) => {
      waiting.get(request)?.(answer);
      waiting.delete(request);
    },
  };
}

/** A status answers soon, whatever a worker does. */
async function statusOf(state: State, program: Program): Promise<Answer> {
  const { serving, retiring } = state;
  const generations = [...(serving === undefined ? [] : [serving]), ...retiring];
  const counts = await Promise.all(
    generations.map(
      async ({ number, master }) =>
        [number, await program.countSessions({ generation: number, master })] as const,
    ),
  );
  const sessions = new Map(
    counts.filter((count): count is readonly [number, number] => count[1] !== undefined),
  );
  return describeState(state, sessions, monotonicMs());
}

/** Only a parent is told of an exit; what an earlier supervisor started has to be looked at. */
function watchLeftOvers(state: State, dispatch: (event: Event) => void): void {
  for (const { number, master } of [
    ...(state.serving === undefined ? [] : [state.serving]),
    ...state.retiring,
  ]) {
    void goneOf(master).then(() =>
      dispatch({ kind: 'exited', number, how: 'an exit that nobody was told of' }),
    );
  }
}
