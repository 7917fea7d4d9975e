import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drillFigures } from '../../../../src/vip/steering/drill-figures.ts';
import { blackoutMs, failureWindowMs, type Probe } from '../../../helpers/vrrp/probes.ts';

const attempt = (startedMs: number, failure: string | null = null, tookMs = 0) => ({
  startedMs,
  endedMs: startedMs + tookMs,
  failure,
});

test('nothing failed, nothing is missing', () => {
  const figures = drillFigures([attempt(0), attempt(20), attempt(40)], 20);
  expect(figures).toEqual({ attempts: 3, failed: 0, longestGapMs: 0, failingMs: 0 });
  expect(drillFigures([], 20)).toEqual({ attempts: 0, failed: 0, longestGapMs: 0, failingMs: 0 });
});

test('one that failed counts until the next good one, in whatever order they ended', () => {
  const attempts = [attempt(60), attempt(20, 'timeout'), attempt(0), attempt(40)];
  expect(drillFigures(attempts, 20)).toEqual({ attempts: 4, failed: 1, longestGapMs: 20, failingMs: 20 });
});

test('the longest of several gaps counts, and from the first to the last failure', () => {
  const failed = [100, 300, 320, 340, 600];
  const attempts = Array.from({ length: 50 }, (_, index) =>
    attempt(index * 20, failed.includes(index * 20) ? 'ECONNREFUSED' : null),
  );
  expect(drillFigures(attempts, 20)).toMatchObject({ failed: 5, longestGapMs: 60, failingMs: 520 });
});

test('a gap that has not ended yet counts as far as it was seen', () => {
  expect(drillFigures([attempt(0), attempt(20, 'x'), attempt(40, 'x')], 20).longestGapMs).toBe(40);
});

test('an attempt that was answered once the gap was over does not divide it', () => {
  const lost = (startedMs: number) => attempt(startedMs, 'timeout', 1_000);
  const attempts = [
    attempt(0),
    lost(20),
    lost(40),
    attempt(60, null, 1_010),
    lost(80),
    attempt(1_070, null, 2),
  ];
  expect(drillFigures(attempts, 20)).toMatchObject({ failed: 3, longestGapMs: 1_050, failingMs: 1_050 });
});

test("property: these are the figures of the bench's client", () => {
  const list = fc.array(fc.boolean(), { maxLength: 60 });
  fc.assert(
    fc.property(list, (oks) => {
      const attempts = oks.map((ok, index) => attempt(index * 20, ok ? null : 'x'));
      const probes = attempts.map(
        ({ startedMs, failure }): Probe => ({
          startedAtMs: startedMs,
          endedAtMs: startedMs + 5,
          reason: failure,
        }),
      );
      expect(drillFigures(attempts, 20)).toMatchObject({
        longestGapMs: blackoutMs(probes, 20),
        failingMs: failureWindowMs(probes, 20),
      });
    }),
  );
});

test('property: the longest gap lies within the time of failures, however long attempts take', () => {
  const list = fc.array(fc.record({ ok: fc.boolean(), tookMs: fc.nat(1_200) }), { maxLength: 60 });
  fc.assert(
    fc.property(list, (each) => {
      const attempts = each.map(({ ok, tookMs }, index) => attempt(index * 20, ok ? null : 'x', tookMs));
      const { longestGapMs, failingMs } = drillFigures(attempts, 20);
      expect(longestGapMs).toBeLessThanOrEqual(failingMs);
    }),
  );
});
