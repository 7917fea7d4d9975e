import { ageText, countText, durationText } from '../system/text/readable-text.ts';
import type { Fact } from './section.ts';

/** A supervisor's report of its failures. Times are milliseconds. */
export interface Failures {
  readonly restart: { readonly failures: number; readonly inMs: number } | null;
  readonly lastFailure: {
    readonly stage: string;
    readonly message: string;
    readonly detail?: string | undefined;
    readonly agoMs: number;
  } | null;
}

/** A monitor's report of its last change. */
export interface Change {
  readonly cause: string;
  readonly result: string;
  readonly message?: string | undefined;
  readonly agoMs: number;
}

export function failureFacts(supervisor: Failures | null): readonly Fact[] {
  const { restart = null, lastFailure = null } = supervisor ?? {};
  const facts: Fact[] = [];
  if (restart !== null) {
    const after = `after ${countText(restart.failures, 'failure')} in a row`;
    facts.push({ name: 'Restart', text: `in ${durationText(restart.inMs)}, ${after}` });
  }
  if (lastFailure !== null) {
    const { stage, message, detail, agoMs } = lastFailure;
    const text = `${ageText(agoMs)} ago at “${stage}”: ${message}`;
    facts.push({ name: 'Last failure', text, ...(detail !== undefined && { output: detail }) });
  }
  return facts;
}

export function isDone({ result }: Change): boolean {
  return result === 'unchanged' || result === 'reloaded' || result === 'superseded';
}

export function changeFacts(change: Change | null | undefined): readonly Fact[] {
  if (!change) return [];
  const { cause, result, message, agoMs } = change;
  const why = message === undefined ? '' : `: ${message}`;
  return [{ name: 'Last change', text: `${ageText(agoMs)} ago: ${cause}, ${result}${why}` }];
}
