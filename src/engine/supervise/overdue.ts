import { monotonicMs } from '../system/time/monotonic-clock.ts';

const LOOK_EVERY_MS = 1_000;
const TROUBLE_AFTER_LOOKS = 10;

/**
 * Detects unhandled deadlines: `trouble` reports one that was found overdue in ten consecutive polls, a second apart. Polls are counted, not
 * time: a frozen machine or a starved process makes none.
 */
export function createOverdueWatch(nextDeadline: () => number | undefined): {
  readonly trouble: () => string | undefined;
} {
  let overdueLooks = 0;
  const look = (): void => {
    const deadline = nextDeadline();
    const isOverdue = deadline !== undefined && monotonicMs() - deadline > LOOK_EVERY_MS;
    overdueLooks = isOverdue ? overdueLooks + 1 : 0;
  };
  setInterval(look, LOOK_EVERY_MS).unref();
  return {
    trouble: () =>
      overdueLooks < TROUBLE_AFTER_LOOKS
        ? undefined
        : `the supervisor has not done what is due for ${overdueLooks} s, see "internal-error" in its log`,
  };
}
