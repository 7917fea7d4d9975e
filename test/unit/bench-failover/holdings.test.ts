import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HoldingEvent,
  holdersAt,
  holdingsOf,
  overlapMs,
  takeOvers,
  without,
} from '../../helpers/vrrp/holdings.ts';

const took = (node: string, atMs: number): HoldingEvent => ({ node, holds: true, atMs });
const lost = (node: string, atMs: number): HoldingEvent => ({ node, holds: false, atMs });

const handOver = [took('a', 0), lost('a', 100), took('b', 130)];
const duplicate = [took('a', 0), took('b', 100), lost('a', 150), took('c', 160), lost('c', 170)];

describe('holdings', () => {
  test('the kernel may say the same twice, and that a node lost what it never had', () => {
    const events = [lost('b', 0), took('a', 1), took('a', 5), lost('a', 9), lost('a', 12)];
    expect(holdingsOf(events)).toEqual([{ node: 'a', fromMs: 1, toMs: 9 }]);
  });

  test('no node holds it during a hand-over', () => {
    expect([50, 100, 129, 130].map((atMs) => holdersAt(handOver, atMs))).toEqual([['a'], [], [], ['b']]);
  });

  test('a take-over counts in the stretch in which it begins', () => {
    expect(takeOvers(handOver, 100, 130)).toEqual([]);
    expect(takeOvers(handOver, 100, 131).map(({ node }) => node)).toEqual(['b']);
  });
});

describe('overlap', () => {
  test('a hand-over has none, not even within one millisecond', () => {
    expect(overlapMs(handOver, 0, 1_000)).toBe(0);
    expect(overlapMs([took('a', 0), took('b', 5), lost('a', 5)], 0, 10)).toBe(0);
  });

  test('every pair of holders counts, within the stretch only', () => {
    expect(overlapMs(duplicate, 0, 1_000)).toBe(60);
    expect(overlapMs(duplicate, 120, 1_000)).toBe(40);
    expect(overlapMs(duplicate, 150, 160)).toBe(0);
  });

  test('is the time in which a look finds more than one holder', () => {
    const event = fc.record({
      node: fc.constantFrom('a', 'b', 'c'),
      holds: fc.boolean(),
      atMs: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const looks = Array.from({ length: 40 }, (_, atMs) => holdersAt(events, atMs));
        expect(overlapMs(events, 0, 40)).toBe(looks.filter((names) => names.length > 1).length);
      }),
    );
  });
});

test.each([
  [[], [[0, 100]]],
  [
    [[10, 20]],
    [
      [0, 10],
      [20, 100],
    ],
  ],
  [
    [
      [-5, 20],
      [90, Number.POSITIVE_INFINITY],
    ],
    [[20, 90]],
  ],
  [[[-5, 200]], []],
  [[[100, 200]], [[0, 100]]],
])('0 to 100 without %j is %j', (stretches, expected) => {
  const given = stretches.map(([fromMs = 0, toMs = 0]) => ({ fromMs, toMs }));
  expect(without(0, 100, given).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual(expected);
});
