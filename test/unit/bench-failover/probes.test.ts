import { expect, test } from 'vitest';
import {
  blackoutMs,
  failureWindowMs,
  isCut,
  lostCount,
  type Probe,
  probesWithin,
} from '../../helpers/vrrp/probes.ts';

/** A probe every 20 ms: `.` is a good one, `x` a lost one. */
function probes(picture: string): readonly Probe[] {
  return [...picture].map((sign, index) => ({
    startedAtMs: index * 20,
    endedAtMs: index * 20 + (sign === '.' ? 5 : 200),
    reason: sign === '.' ? null : 'timeout',
  }));
}

test.each([
  ['.....', 0],
  ['..x..', 20],
  ['.xxx.x', 60],
  ['.x.xxx', 60],
])('the blackout of %s lasts %i ms', (picture, expected) => {
  expect(blackoutMs(probes(picture), 20)).toBe(expected);
});

test('the window reaches over good answers between bad ones', () => {
  expect(failureWindowMs(probes('..x.x.x..'), 20)).toBe(100);
  expect(failureWindowMs(probes('....'), 20)).toBe(0);
  expect(lostCount(probes('..x.x.x..'))).toBe(3);
});

test('a probe that was under way at the fault counts, one that was over does not', () => {
  const all = probes('xx..');
  expect(probesWithin(all, 201, 60).map(({ startedAtMs }) => startedAtMs)).toEqual([20]);
});

test('probes count in the order of their beginning, however long they took', () => {
  expect(blackoutMs(probesWithin(probes('.xxx.').toReversed(), 0, 1_000), 20)).toBe(60);
});

test.each([
  ['ended long before the move', 900, 904, false],
  ['ended just before the move was reported', 990, 995, true],
  ['was under way', 800, 1_200, true],
  ['began before others could know', 1_900, 1_950, true],
  ['began when all know', 2_010, 2_015, false],
])('a request that %s: whether it was cut', (_when, startedAtMs, endedAtMs, expected) => {
  expect(isCut({ startedAtMs, endedAtMs, reason: 'ECONNRESET' }, { atMs: 1_000 })).toBe(expected);
});

test('a request without a server, before a new one took the place, was cut, however long that lasted', () => {
  const refused = { startedAtMs: 3_900, endedAtMs: 3_901, reason: 'ECONNREFUSED' };
  expect(isCut(refused, { atMs: 1_000, untilMs: 3_000 })).toBe(true);
  expect(isCut(refused, { atMs: 1_000, untilMs: 2_000 })).toBe(false);
});
