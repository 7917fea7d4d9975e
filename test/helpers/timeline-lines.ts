import { type JournalLine, journalLineSchema } from '../../src/observe/journal/journal-line.ts';

const start = Date.UTC(2026, 0, 5, 3, 12);

/** A line of a journal as it could be, at so many milliseconds after 03:12 UTC. */
export function lineAt(ms: number, fields: Partial<JournalLine> = {}): JournalLine {
  return journalLineSchema.parse({
    ...{
      v: 1,
      seq: 1,
      at: new Date(start + ms).toISOString(),
      node: 'cp-1',
      program: 'keepalived-supervisor',
    },
    ...{ kind: 'vip', event: 'vrrp-transition', prev: '0'.repeat(64), ...fields },
  });
}
