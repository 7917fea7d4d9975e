import type { Violation } from './verdict.ts';
import { faultsNear, isStarved, relative, type View } from './view.ts';

/** A violation with the faults and journal lines around it. */
export function at(view: View, atMs: number, what: string): Violation {
  const events = view.journal.filter((each) => Math.abs(each.atMs - atMs) < 5_000);
  return {
    atMs,
    what,
    proof: [
      ...faultsNear(view, atMs, atMs),
      ...events
        .slice(-20)
        .map(
          ({ atMs: toldMs, line }) =>
            `${relative(toldMs, atMs)} ${line.node} ${line.event} ${line.reason ?? ''}`,
        ),
    ],
    starved: isStarved(view, atMs, atMs),
  };
}
