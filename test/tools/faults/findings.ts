import type { Entry } from '../../faults/record/history.ts';
import { judge } from '../../faults/validate/judge.ts';
import { madeHistory } from './made-history.ts';

export const validators = ['V1', 'V2', 'V3', 'V4', 'H1', 'H2', 'H3', 'H4', 'H5', 'Z'] as const;

/** What one validator finds, with a question mark if the machine was starved. */
export function findingsOf(validator: (typeof validators)[number]) {
  return (...more: readonly Entry[]): readonly string[] => findingsIn(validator, madeHistory(...more));
}

/** The same for any history, not only a made one with more entries. */
export function findingsIn(
  validator: (typeof validators)[number],
  history: readonly Entry[],
): readonly string[] {
  const verdict = judge(history).find(({ name }) => name === validator);
  return (verdict?.violations ?? []).map(({ what, starved }) => `${starved ? '? ' : ''}${what}`);
}
