import type { LoadEvent, LoadSummary } from '../../helpers/load/load-events.ts';

export function lostOf(summary: LoadSummary): number {
  return Object.values(summary.lost).reduce((sum, count) => sum + count, 0);
}

/** From the start of the first lost connection to the start of the last one; 0 if none was lost. */
export function lossSpanMs(events: readonly LoadEvent[]): number {
  const starts = events.flatMap((event) => (event.kind === 'lost' ? [event.startedAtMs] : []));
  return starts.length === 0 ? 0 : Math.max(...starts) - Math.min(...starts);
}
