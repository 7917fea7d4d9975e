import { type JournalLine, journalLineSchema } from '../../src/engine/observe/journal/journal-line.ts';
import type { JournalItem } from '../../src/engine/observe/journal/read-journal.ts';
import type { Moment } from '../../src/operate/timeline/collect.ts';
import { createClockReader, placesOf } from '../../src/operate/timeline/places.ts';

const start = Date.UTC(2026, 0, 5, 3, 12);

/** A plausible line of a journal, this many milliseconds after 03:12 UTC. */
export function lineAt(ms: number, fields: Partial<JournalLine> = {}): JournalLine {
  return journalLineSchema.parse({
    v: 1,
    seq: 1,
    at: new Date(start + ms).toISOString(),
    node: 'cp-1',
    program: 'keepalived-supervisor',
    kind: 'vip',
    event: 'vrrp-transition',
    ...fields,
  });
}

/** The contents of one journal, each item in its place. */
export function momentsOf(journal: number, items: readonly JournalItem[]): readonly Moment[] {
  const places = placesOf(items.map(createClockReader()));
  return items.flatMap((item, n) => {
    const place = places[n];
    return place === undefined ? [] : { item, journal, order: n + 1, ...place };
  });
}
