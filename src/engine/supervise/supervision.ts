import type { Answer } from '../control/answer.ts';
import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import type { ProcessId } from '../system/process/processes.ts';
import { waitUntilGone } from '../system/process/wait-until-gone.ts';
import { createEngine, type Decisions, type Engine, type Failed, type Surroundings } from './engine.ts';
import type { RequestId, SharedAction } from './step.ts';

interface Supervising<State, Event, Own> {
  readonly log: Log;
  readonly keep: (state: State) => void;
  readonly act: Surroundings<State, Event, Own>['act'];
  /** The outcome of an action that threw: see `failed` in `Surroundings`. */
  readonly outcomeOfFailed: (action: Own, message: string) => Event | 'again' | undefined;
}

interface Supervision<State, Event> extends Engine<State, Event> {
  /** Dispatches a request under a new number. Resolves with its answer. */
  readonly ask: (eventOf: (request: RequestId) => Event) => Promise<Answer>;
  /** Resolves once no supervised process is left. */
  readonly finished: Promise<void>;
}

/** Runs a program's decisions: tracks requests and the end, and carries out the actions that all supervisors share. */
export function createSupervision<State, Event extends Kind, Own extends Kind, Done extends object>(
  first: State,
  decisions: Decisions<State, Event, Own | SharedAction<Done>>,
  { log, keep, act, outcomeOfFailed }: Supervising<State, Event, Own>,
): Supervision<State, Event> {
  const waiting = new Map<RequestId, (answer: Answer) => void>();
  const answer = (request: RequestId, text: Answer): void => {
    waiting.get(request)?.(text);
    waiting.delete(request);
  };
  let last = 0;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const outside = { log, answer, finish };
  const engine = createEngine<State, Event, Own | SharedAction<Done>>(first, decisions, {
    keep,
    act: (action, dispatch) => (isShared(action) ? actShared(action, outside) : act(action, dispatch)),
    failed: createRecovery(outside, (action, message) => {
      if (!isShared(action)) return outcomeOfFailed(action, message);
      return action.kind === 'log' ? undefined : 'again';
    }),
  });
  const ask = (eventOf: (request: RequestId) => Event): Promise<Answer> =>
    new Promise((resolve) => {
      const request = ++last;
      waiting.set(request, resolve);
      engine.dispatch(eventOf(request));
    });
  return { ...engine, ask, finished };
}

function isShared<Own extends Kind, Done>(action: Own | SharedAction<Done>): action is SharedAction<Done> {
  return action.kind === 'answer' || action.kind === 'log' || action.kind === 'finish';
}

function actShared(
  action: SharedAction<object>,
  { log, answer, finish }: Reporting & { readonly finish: () => void },
): void {
  switch (action.kind) {
    case 'answer': {
      const { requests, result } = action;
      const text = 'stage' in result ? { ok: false as const, ...result } : { ok: true as const, ...result };
      for (const request of requests) answer(request, text);
      break;
    }
    case 'log':
      log({ ...action.fields, event: action.event, level: action.level });
      break;
    case 'finish':
      finish();
      break;
  }
}

/** Resolves with a description of how an adopted process ended, once it is gone. Polls, because the kernel reports an exit only to the parent. */
export async function endOfAdopted(id: ProcessId): Promise<string> {
  await waitUntilGone(id);
  return 'an exit with unknown status (not a child of this process)';
}

/** Longer than any action: a validation ends after at most 30 s. */
export const ACTION_LIMIT_MS = 60_000;

/** A supervisor's log, and the clients that wait for an answer. */
interface Reporting {
  readonly log: Log;
  readonly answer: (request: number, answer: Answer) => void;
}

interface Kind {
  readonly kind: string;
}

/** Returns a function that logs an exception, answers the request of the failed step, and returns the outcome of a failed action. */
function createRecovery<Event extends Kind, Action extends Kind>(
  { log, answer }: Reporting,
  outcomeOfFailed: (action: Action, message: string) => Event | 'again' | undefined,
): Surroundings<unknown, Event, Action>['failed'] {
  return (what, error) => {
    const message = messageOf(error);
    const stack = error instanceof Error ? error.stack : undefined;
    log({ event: 'internal-error', level: 'error', during: nameOf(what), message, stack });
    if (what.during === 'action') return outcomeOfFailed(what.action, message);
    if (what.during === 'decision') refuse(what.event, answer, message);
    return undefined;
  };
}

function nameOf(what: Failed<Kind, Kind>): string {
  switch (what.during) {
    case 'action':
      return `action ${what.action.kind}`;
    case 'decision':
      return `event ${what.event.kind}`;
    case 'record':
    case 'deadline':
      return what.during;
  }
}

function refuse(event: Kind, answer: Reporting['answer'], message: string): void {
  if (!('request' in event) || typeof event.request !== 'number') return;
  const refusal: Answer = { ok: false, stage: 'internal', message: `Cannot handle the request: ${message}` };
  answer(event.request, refusal);
}
