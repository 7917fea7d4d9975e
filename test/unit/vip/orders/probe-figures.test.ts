import fc from 'fast-check';
import { expect, test } from 'vitest';
import { probeFigures } from '../../../../src/vip/orders/vip-probe.ts';

const attempt = (startedMs: number, failure: string | null = null, tookMs = 1) => ({
  startedMs,
  endedMs: startedMs + tookMs,
  failure,
});

test('the longest gap is at least the interval of the probes', () => {
  const figures = probeFigures([attempt(0), attempt(20), attempt(40)]);
  expect(figures).toEqual({ attempts: 3, failed: 0, longestGapMs: 20 });
});

test('a gap is unknown without any answer', () => {
  expect(probeFigures([])).toEqual({ attempts: 0, failed: 0, longestGapMs: null });
  expect(probeFigures([attempt(0, 'ECONNREFUSED')])).toEqual({ attempts: 1, failed: 1, longestGapMs: null });
});

test('failed probes make a gap from answer to answer, in any order of completion', () => {
  const attempts = [attempt(60), attempt(20, 'timeout'), attempt(0), attempt(40, 'timeout')];
  expect(probeFigures(attempts)).toEqual({ attempts: 4, failed: 2, longestGapMs: 60 });
});

test('a probe that is answered late does not split the gap in which it started', () => {
  const attempts = [attempt(0), attempt(20, 'timeout', 1_000), attempt(40, null, 1_000), attempt(1_050)];
  expect(probeFigures(attempts)).toMatchObject({ failed: 1, longestGapMs: 1_039 });
});

test('a gap that has not ended counts up to the last probe', () => {
  expect(probeFigures([attempt(0), attempt(20, 'x'), attempt(40, 'x')]).longestGapMs).toBe(39);
});

test('property: no gap is longer than the time from the first probe to the last answer', () => {
  const list = fc.array(fc.record({ ok: fc.boolean(), tookMs: fc.nat(1_200) }), { maxLength: 60 });
  fc.assert(
    fc.property(list, (each) => {
      const attempts = each.map(({ ok, tookMs }, index) => attempt(index * 20, ok ? null : 'x', tookMs));
      const { longestGapMs } = probeFigures(attempts);
      const endMs = Math.max(...attempts.map(({ endedMs }) => endedMs));
      expect(longestGapMs ?? 0).toBeLessThanOrEqual(Math.max(0, endMs));
      expect(longestGapMs ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
