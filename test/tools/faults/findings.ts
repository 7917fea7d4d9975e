import type { Entry } from '../../faults/record/history.ts';
import { judge } from '../../faults/validate/judge.ts';
import { madeHistory } from './made-history.ts';

export const validators = ['V1', 'V2', 'V3', 'V4', 'H1', 'H2', 'H3', 'H4', 'H5', 'Z'] as const;

/** What one validator finds; a question mark where nothing had a processor. */
export function findingsOf(validator: (typeof validators)[number]) {
  return (...more: readonly Entry[]): readonly string[] => findingsIn(validator, madeHistory(...more));
}

/** The same for a history that is not only longer than the made one. */
export function findingsIn(
  validator: (typeof validators)[number],
  history: readonly Entry[],
): readonly string[] {
  const verdict = judge(history).find(({ name }) => name === validator);
  return (verdict?.violations ?? []).map(({ what, starved }) => `${starved ? '? ' : ''}${what}`);
}
