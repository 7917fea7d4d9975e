import type { Applier } from '../apply/applier.ts';
import type { ApplyOutcome } from '../apply/apply-outcome.ts';
import type { Rendered } from '../apply/file-set.ts';
import type { Wake } from '../system/time/wake.ts';
import type { Proposed } from './proposal.ts';
import type { Attempt } from './reload-pace.ts';

/** Validation of a runtime update while the loop waits for the next configuration. */
export interface IdleCheck<T> {
  readonly of: Proposed<T>;
  readonly attempt: Attempt;
  readonly isOver: () => boolean;
  /** The verdict; undefined without one. Rejects if it was aborted. */
  readonly outcome: Promise<ApplyOutcome | undefined>;
  /** Whether this one may be applied once `outcome` has resolved. */
  readonly giveWayTo: (rendered: Rendered) => boolean;
}

/** Starts to validate what was applied, unless nothing is unchecked. Wakes the loop at the end, unless it was interrupted. */
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
  // A failure is thrown to the caller that awaits `outcome`.
  settling.outcome.then(end, end);
  const giveWayTo = (rendered: Rendered): boolean => {
    gaveWay = settling.giveWayTo(rendered);
    return gaveWay;
  };
  const attempt: Attempt = { startMs: now(), isPart, isCheck: true };
  return { outcome: settling.outcome, giveWayTo, of, attempt, isOver: () => isOver };
}
