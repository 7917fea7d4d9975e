import type { TimelineEntry, TimelineFault, TimelineReport } from './report.ts';

/** What is shown together. */
export type Row =
  | { readonly kind: 'fault'; readonly fault: TimelineFault }
  | {
      readonly kind: 'entry';
      readonly entry: TimelineEntry;
      /** How often it came in a row, and when for the last time. */
      readonly times: number;
      readonly lastAt: string;
    };

/** The same thing said again and again, with nothing in between, is one row: the first one, and how often. */
export function foldRepeats(entries: TimelineReport['entries']): readonly Row[] {
  const rows: Row[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (entry.kind === 'fault') rows.push({ kind: 'fault', fault: entry });
    else if (last?.kind === 'entry' && isRepeat(last.entry, entry))
      rows[rows.length - 1] = { ...last, times: last.times + 1, lastAt: entry.at };
    else rows.push({ kind: 'entry', entry, times: 1, lastAt: entry.at });
  }
  return rows;
}

/** Facts are measurements and differ from one time to the next. */
function isRepeat(a: TimelineEntry, b: TimelineEntry): boolean {
  const fields = ['node', 'program', 'event', 'subject', 'from', 'to', 'reason', 'because'] as const;
  return b.clockBackMs === 0 && fields.every((field) => a[field] === b[field]);
}
