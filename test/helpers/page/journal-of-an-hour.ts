import { allJournals } from '../../../src/commands/journal-words.ts';
import type { JournalLine } from '../../../src/engine/observe/journal/journal-line.ts';
import type { RecentEntries } from '../../../src/operate/timeline/recent.ts';
import { rightClock, shownEntry } from '../../../src/operate/timeline/report.ts';
import { lineAt } from '../timeline-lines.ts';

const MINUTE = 60_000;

type Fields = Partial<JournalLine>;

const move = (node: string, from: string, to: string, reason: string): Fields => ({
  ...{ node, program: 'keepalived-supervisor', kind: 'vip', event: 'vrrp-transition' },
  ...{ subject: 'prod_API', from, to, reason },
});
const health = (node: string, from: string, to: string, reason: string): Fields => ({
  ...{ node, program: 'keepalived-monitor', kind: 'health', event: 'health-told', subject: 'api' },
  ...{ from, to, reason },
});
const serves = (subject: string): Fields => ({
  ...{ program: 'haproxy-supervisor', kind: 'reload', event: 'generation-serving', subject },
  facts: { cause: 'reload', tookMs: 93 },
});

/** Minutes before now, and what three nodes wrote then: something of every kind. */
const told: readonly (readonly [number, Fields])[] = [
  [52, { program: 'haproxy-monitor', kind: 'servers', event: 'servers-changed', facts: { added: 'cp-3' } }],
  [51.9, serves('6')],
  [41.01, health('cp-2', '30', '-254', 'HAProxy refuses connections')],
  [41.005, move('cp-2', 'MASTER', 'FAULT', 'the track file says that this node cannot serve (-254)')],
  [41, move('cp-1', 'BACKUP', 'MASTER', 'no advert of a node with a higher priority')],
  [36, health('cp-2', '-254', '0', 'HAProxy answers again')],
  [35.99, move('cp-2', 'FAULT', 'BACKUP', 'this node can serve again')],
  [26.1, { program: 'haproxy-monitor', kind: 'rejected', event: 'configuration-rejected', subject: 'check' }],
  [26, serves('7')],
  [12, move('cp-3', 'BACKUP', 'STOP', 'it was asked to stop')],
  [8, move('cp-3', 'STOP', 'BACKUP', 'keepalived has started')],
  [5, { kind: 'repair', event: 'vip-put-back', subject: '192.0.2.100', reason: 'it was gone from eth0' }],
  [3, { program: 'keepalived-monitor', kind: 'process', event: 'monitor-started' }],
];

/** The journals of a cluster in which much happened: moves, a fault, a refused configuration, a repair. */
export function journalOfAnHour(nowMs: number): RecentEntries {
  const lines = told.map(([minutes, fields]) => ({
    ...lineAt(0, fields),
    at: new Date(nowMs - minutes * MINUTE).toISOString(),
  }));
  const entries = lines.map((line, index) =>
    shownEntry(line, rightClock, allJournals.causesOf(lines, index)),
  );
  return { entries, isCut: false, problems: [] };
}
