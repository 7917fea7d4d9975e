import type { Applier } from '../apply/applier.ts';
import type { ApplyOutcome } from '../apply/apply-outcome.ts';
import type { Rendered } from '../apply/file-set.ts';
import type { Wake } from '../system/time/wake.ts';
import type { Proposed } from './proposal.ts';
import type { Attempt } from './reload-pace.ts';

/** The check of a configuration that HAProxy was told of, while the loop waits for the next one. */
export interface IdleCheck<T> {
  readonly of: Proposed<T>;
  readonly attempt: Attempt;
  readonly isOver: () => boolean;
  /** What became of it; undefined where that says nothing. Rejects where the check was stopped. */
  readonly outcome: Promise<ApplyOutcome | undefined>;
  /** Whether this one may be applied once `outcome` has resolved. */
  readonly giveWayTo: (rendered: Rendered) => boolean;
}

/** Begins to check what was applied, if that was not checked, and wakes the loop once that has ended, unless the loop has ended it. */
export function beginIdleCheck<T>(
  { applier, wake, now }: { readonly applier: Applier; readonly wake: Wake; readonly now: () => number },
  of: Proposed<T>,
  { isPart }: Attempt,
  signal: AbortSignal,
): IdleCheck<T> | undefined {
  const settling = applier.settle(signal);
  if (settling === undefined) return undefined;
  let isOver = false;
  let gaveWay = false;
  const end = (): void => {
    isOver = true;
    if (!gaveWay) wake.poke();
  };
  // A failure is thrown where the outcome is taken.
  settling.outcome.then(end, end);
  const giveWayTo = (rendered: Rendered): boolean => {
    gaveWay = settling.giveWayTo(rendered);
    return gaveWay;
  };
  const attempt: Attempt = { startMs: now(), isPart, isCheck: true };
  return { outcome: settling.outcome, giveWayTo, of, attempt, isOver: () => isOver };
}
