import { expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import type { JournalLine } from '../../../../src/engine/observe/journal/journal-line.ts';
import { lastHour, placeOf, vipLanes } from '../../../../src/operate/page/lanes.ts';
import * as statuses from '../../../helpers/page/statuses.ts';
import type { ClusterStatus } from '../../../helpers/status-types.ts';
import { lineAt } from '../../../helpers/timeline-lines.ts';

const now = Date.parse(statuses.takenAt);
const span = lastHour(now);

/** A journal line of a node, the given number of minutes before the end of the span. */
function entry(minutesAgo: number, fields: Parameters<typeof lineAt>[1] = {}): JournalLine {
  const at = new Date(Date.parse(span.until) - minutesAgo * 60_000).toISOString();
  return lineAt(0, { subject: 'API', ...fields, at });
}

const bandsOf = (status: ClusterStatus, entries: readonly JournalLine[], node: string) =>
  vipLanes(status, entries, span, statusProducts)
    .find((lane) => lane.node === node)
    ?.bands.map(({ kind, from, to }) => [kind, from, to]);

test('the hour ends within ten seconds from now and changes only every ten seconds', () => {
  expect(span).toEqual({ since: '2026-11-21T02:12:50.000Z', until: '2026-11-21T03:12:50.000Z' });
  expect(lastHour(now + 2_999)).toEqual(span);
  expect(
    [span.since, span.until, '2026-11-21T02:42:50.000Z', '2026-11-21T04:00:00.000Z'].map((at) =>
      placeOf(at, span),
    ),
  ).toEqual([...[0, 100, 50, 100]]);
});

test('a lane shows the states of the journal, the first one from the left edge', () => {
  const taken = entry(30, { from: 'BACKUP', to: 'MASTER' });
  expect(bandsOf(statuses.healthy(), [taken], 'cp-1')).toEqual([
    ['backup', 0, 50],
    ['holder', 50, 100],
  ]);
});

test('without a journal a lane shows the current state since its start, and unknown before', () => {
  expect(bandsOf(statuses.healthy(), [], 'cp-1')).toEqual([['holder', 0, 100]]);
  const halfAnHour = statuses.healthy(now - Date.parse(span.since) - 30 * 60_000);
  expect(bandsOf(halfAnHour, [], 'cp-1')).toEqual([
    ['unknown', 0, 50],
    ['holder', 50, 100],
  ]);
});

test("a node's current status ends its journal's last state", () => {
  const was = entry(30, { from: 'BACKUP', to: 'MASTER' });
  expect(bandsOf(statuses.failedOver(), [was], 'cp-1')?.map(([kind]) => kind)).toEqual([
    'backup',
    'holder',
    'fault',
  ]);
});

test('a dead node that was the holder is unknown after its last journal line', () => {
  const status = statuses.degraded();
  const moves = [entry(40, { node: 'cp-3', from: 'BACKUP', to: 'MASTER' })];
  const lastWord = entry(15, { node: 'cp-3', kind: 'health', event: 'track-value-changed' });
  expect(bandsOf(status, [...moves, lastWord], 'cp-3')).toEqual([
    ['backup', 0, 33.33],
    ['holder', 33.33, 75],
    ['unknown', 75, 100],
  ]);
});

test("another node's last journal line applies while the observed holder agrees", () => {
  const left = entry(40, { node: 'cp-2', from: 'MASTER', to: 'BACKUP' });
  expect(bandsOf(statuses.healthy(), [left], 'cp-2')).toEqual([
    ['holder', 0, 33.33],
    ['backup', 33.33, 100],
  ]);
});

test('bands have no gaps and do not overlap, however often the VIP moves', () => {
  const moves = Array.from({ length: 500 }, (_, n) => {
    const [from, to] = n % 2 === 0 ? ['BACKUP', 'MASTER'] : ['MASTER', 'BACKUP'];
    return entry(59 - n * 0.1, { from, to });
  });
  const bands = bandsOf(statuses.healthy(), moves, 'cp-1') ?? [];
  expect(bands.length).toBeGreaterThan(400);
  expect(bands.map(([, from]) => from)).toEqual([0, ...bands.slice(0, -1).map(([, , to]) => to)]);
  expect(bands.at(-1)?.[2]).toBe(100);
});

test('an instance with an unknown VIP is drawn under its own name', () => {
  const lanes = vipLanes(
    statuses.nothingAnswers(),
    [entry(30, { from: 'BACKUP', to: 'MASTER' })],
    span,
    statusProducts,
  );
  expect(lanes.map(({ vip, node }) => [vip, node])).toEqual([['API', 'cp-1']]);
});
