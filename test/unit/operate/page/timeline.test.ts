import { expect, test } from 'vitest';
import { allJournals } from '../../../../src/commands/journal-words.ts';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import { vipLanes } from '../../../../src/operate/page/view/lanes.ts';
import { markLanes } from '../../../../src/operate/page/view/marks.ts';
import { story } from '../../../../src/operate/page/view/story.ts';
import { lastHour, placeOf, ticksOf } from '../../../../src/operate/page/view/time-span.ts';
import { rightClock, shownEntry, type TimelineEntry } from '../../../../src/operate/timeline/report.ts';
import * as statuses from '../../../helpers/page/statuses.ts';
import type { ClusterStatus } from '../../../helpers/status-types.ts';
import { lineAt } from '../../../helpers/timeline-lines.ts';

const now = Date.parse(statuses.takenAt);
const span = lastHour(now);

/** What the journal of a node has, so many minutes before the end of the span. */
function entry(minutesAgo: number, fields: Parameters<typeof lineAt>[1] = {}): TimelineEntry {
  const at = new Date(Date.parse(span.to) - minutesAgo * 60_000).toISOString();
  return { ...shownEntry(lineAt(0, { subject: 'prod_API', ...fields }), rightClock, undefined), at };
}

const bandsOf = (status: ClusterStatus, entries: readonly TimelineEntry[], node: string) =>
  vipLanes(status, entries, span, statusProducts)
    .find((lane) => lane.node === node)
    ?.bands.map(({ kind, from, to }) => [kind, from, to]);

test('the hour ends within ten seconds from now, so that it stands still and holds what has just happened', () => {
  expect(span).toEqual({ from: '2026-01-05T02:42:10.000Z', to: '2026-01-05T03:42:10.000Z' });
  expect(lastHour(now + 2_999)).toEqual(span);
  expect(
    [span.from, span.to, '2026-01-05T03:12:10.000Z', '2026-01-05T04:00:00.000Z'].map((at) =>
      placeOf(at, span),
    ),
  ).toEqual([...[0, 100, 50, 100]]);
  expect(ticksOf(span).map(({ label }) => label)).toEqual([
    '02:50',
    '03:00',
    '03:10',
    '03:20',
    '03:30',
    '03:40',
  ]);
});

test('a lane goes from state to state as the journal tells it, the first one from its left edge', () => {
  const taken = entry(30, { from: 'BACKUP', to: 'MASTER' });
  expect(bandsOf(statuses.healthy(), [taken], 'cp-1')).toEqual([
    ['backup', 0, 50],
    ['holder', 50, 100],
  ]);
});

test('without a journal it is drawn from when the node says that it began, and unknown before', () => {
  const status = statuses.healthy();
  expect(bandsOf(status, [], 'cp-2')).toEqual([['backup', 0, 100]]);
  const here = statuses.nodeStatus({ holder: true, sinceMs: 30 * 60_000 - 3_000 });
  expect(bandsOf({ ...status, here }, [], 'cp-1')).toEqual([
    ['unknown', 0, 50],
    ['holder', 50, 100],
  ]);
});

test('what the node says now ends what its journal said last', () => {
  const was = entry(30, { from: 'BACKUP', to: 'MASTER' });
  expect(bandsOf(statuses.failedOver(), [was], 'cp-1')?.map(([kind]) => kind)).toEqual([
    'backup',
    'holder',
    'fault',
  ]);
});

test('a dead node that was the holder is not drawn as the holder after its last word', () => {
  const status = statuses.degraded();
  const moves = [entry(40, { node: 'cp-3', from: 'BACKUP', to: 'MASTER' })];
  const lastWord = entry(15, { node: 'cp-3', kind: 'health', event: 'health-told' });
  expect(bandsOf(status, [...moves, lastWord], 'cp-3')).toEqual([
    ['backup', 0, 33.33],
    ['holder', 33.33, 75],
    ['unknown', 75, 100],
  ]);
});

test('bands have no gap and do not overlap, however often the VIP moves', () => {
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
  expect(lanes.map(({ vip, node }) => [vip, node])).toEqual([['prod_API', 'cp-1']]);
});

const nothingHere = { programs: [] };

test('each kind of program that runs here or is told of has a lane, a router too', () => {
  const here = { programs: [programState('router'), programState('haproxy-supervisor')] };
  const ofInstance = entry(9, { kind: 'process', event: 'program-started', program: 'haproxy-supervisor-b' });
  const ofRouter = entry(8, { kind: 'rejected', event: 'route-left-out', program: 'router' });
  const ofKeepalived = entry(7, { kind: 'health', event: 'health-told', program: 'keepalived-monitor' });
  const lanes = markLanes(here, [ofKeepalived, ofInstance, ofRouter], span, allJournals);
  expect(lanes.map(({ name, marks }) => [name, marks.length])).toEqual([
    ['router', 1],
    ['haproxy', 1],
    ['keepalived', 1],
  ]);
  expect(markLanes(here, [], span, allJournals).map(({ name }) => name)).toEqual(['router', 'haproxy']);
});

const programState = (name: string) => ({ name, state: 'answers' as const, address: null, problem: null });

test('marks of one kind that would lie on each other are one, and 10,000 are at most 200', () => {
  const flood = Array.from({ length: 10_000 }, (_, n) =>
    entry(60 - n * 0.006, { kind: 'reload', event: 'generation-serving', program: 'haproxy-supervisor' }),
  );
  const [haproxy] = markLanes(nothingHere, flood, span, allJournals);
  expect(haproxy?.marks.length).toBeLessThanOrEqual(201);
  expect(haproxy?.marks[5]?.words).toMatch(
    /^\d\d:\d\d:\d\d cp-1: now serving generation .*; and 49 more close by$/,
  );
});

test('trouble is drawn last, so that it lies on top', () => {
  const died = entry(10, { kind: 'process', event: 'generation-died', program: 'haproxy-supervisor' });
  const served = entry(5, { kind: 'reload', event: 'generation-serving', program: 'haproxy-supervisor' });
  const [haproxy] = markLanes(nothingHere, [died, served], span, allJournals);
  expect(haproxy?.marks.map(({ kind }) => kind)).toEqual(['change', 'trouble']);
});

test('the story is the newest first, folds what is said again and counts what it leaves out', () => {
  const said = Array.from({ length: 50 }, (_, n) => entry(50 - n, { kind: 'health', subject: `api${n}` }));
  const { lines, more } = story(
    [...said, entry(0.4, { subject: 'x' }), entry(0.2, { subject: 'x' })],
    allJournals,
  );
  expect(lines).toHaveLength(30);
  expect(lines[0]?.words).toBe('x (2 times, until 03:41:58)');
  expect(more).toBe(52 - 31);
});
