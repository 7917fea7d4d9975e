import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { Work } from './deploy-state.ts';

/** The write and the reload come after all updates of one configuration, so one must finish now and then. */
const LONGEST_MS = 5_000;

/**
 * Returns a function to be called after each step of the deployer. It returns true between two runtime updates of one configuration while a newer one
 * is waiting, for at most five seconds in a row.
 */
export function createGivingWay(
  isSuperseded: () => boolean,
): (doing: Work<unknown> | undefined, hasUpdated: boolean) => boolean {
  let last: Work<unknown> | undefined;
  let sinceMs: number | undefined;
  return (doing, hasUpdated) => {
    // An update without changes only confirms what runs, and the report follows.
    const isNextUpdate = doing?.kind === 'update' && doing.changes.length > 0 && doing !== last && hasUpdated;
    last = doing;
    if (doing?.kind !== 'update') sinceMs = undefined;
    if (!isNextUpdate || !isSuperseded()) return false;
    sinceMs ??= monotonicMs();
    return monotonicMs() - sinceMs < LONGEST_MS;
  };
}
