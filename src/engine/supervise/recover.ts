import type { Answer } from '../control/answer.ts';
import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import type { Failed, Surroundings } from './engine.ts';

/** Longer than any action: a validation ends after half a minute at the latest. */
export const ACTION_LIMIT_MS = 60_000;

/** Outputs of a supervisor: its log, and the clients waiting for an answer. */
export interface Reporting {
  readonly log: Log;
  readonly answer: (request: number, answer: Answer) => void;
}

export interface Kind {
  readonly kind: string;
}

/** Logs an exception, answers the request of the failed action, and returns the action's outcome. */
export function createRecovery<Event extends Kind, Action extends Kind>(
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
  const refusal: Answer = { ok: false, stage: 'internal', message: `Cannot decide what to do: ${message}` };
  answer(event.request, refusal);
}
