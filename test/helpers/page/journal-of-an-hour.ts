import type { JournalLine } from '../../../src/engine/observe/journal/journal-line.ts';
import type { Journals } from '../../../src/operate/page/serve-status.ts';
import { lineAt } from '../timeline-lines.ts';

const MINUTE = 60_000;

type Fields = Partial<JournalLine>;

const move = (node: string, from: string, to: string, reason: string): Fields => ({
  node,
  program: 'keepalived-supervisor',
  kind: 'vip',
  event: 'vrrp-transition',
  subject: 'API',
  from,
  to,
  reason,
});
/** How many minutes ago, and how the VIP moved then. */
const told: readonly (readonly [number, Fields])[] = [
  [41.005, move('cp-2', 'MASTER', 'FAULT', 'the track file says that this node cannot serve (-254)')],
  [41, move('cp-1', 'BACKUP', 'MASTER', 'no advert from a node with a higher priority')],
  [35.99, move('cp-2', 'FAULT', 'BACKUP', 'this node can serve again')],
  [12, move('cp-3', 'BACKUP', 'STOP', 'stopped on request')],
  [8, move('cp-3', 'STOP', 'BACKUP', 'keepalived has started')],
];

/** The journals of a cluster whose VIP moved, with a fault and a stop. */
export function journalOfAnHour(nowMs: number): Journals {
  const lines = told.map(([minutes, fields]) =>
    lineAt(0, { ...fields, at: new Date(nowMs - minutes * MINUTE).toISOString() }),
  );
  return { lines, problems: [] };
}
