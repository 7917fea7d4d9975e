import { expect, test } from 'vitest';
import { tallyOf } from '../../bench/starvation/tally.ts';

const took = (node: string, atMs: number) => ({ node, holds: true, atMs });
const lost = (node: string, atMs: number) => ({ node, holds: false, atMs });
const span = { fromMs: 1_000, toMs: 2_000 };

test('a holder that keeps the VIP has made no move', () => {
  expect(tallyOf([took('a', 10)], [], span)).toMatchObject({
    moves: 0,
    twoHolders: { count: 0, totalMs: 0, longestMs: 0 },
    noHolder: { count: 0 },
  });
});

test('every take-over counts, and so does the time with two holders or with none', () => {
  const events = [
    ...[took('a', 10), took('b', 1_100), lost('a', 1_130), lost('b', 1_200), took('a', 1_250)],
    ...[took('c', 1_900), lost('c', 1_905)],
  ];
  expect(tallyOf(events, [], span)).toMatchObject({
    moves: 3,
    twoHolders: { count: 2, totalMs: 35, longestMs: 30 },
    noHolder: { count: 1, totalMs: 50, longestMs: 50 },
  });
});

test("the programs' events are counted: late timers, doubts about health, hangs, silent monitors", () => {
  const lines = [
    'Sat Nov 21 06:40:02 2026: A thread timer expired 0.235183 seconds ago',
    'Sat Nov 21 06:40:04 2026: A thread timer expired 1.203109 seconds ago',
    '{"level":"info","event":"liveness","liveness":"hung"}',
    '{"level":"info","event":"liveness","liveness":"serving"}',
    '{"level":"error","event":"keepalived-hung","pid":7}',
    '{"level":"warn","event":"monitor-silent","silent":true}',
  ];
  expect(tallyOf([], lines, span)).toMatchObject({
    keepalivedLate: { count: 2, longestMs: 1_203 },
    healthDoubts: 1,
    takenForHung: 1,
    monitorsMissed: 1,
  });
});
