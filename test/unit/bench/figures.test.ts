import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meets, mostWithin, spreadOf } from '../../bench/reload/figures.ts';

const times = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 60 });

test('a median lies in the middle: as many measurements at or below it as at or above it', () => {
  fc.assert(
    fc.property(times, (values) => {
      const spread = spreadOf(values);
      if (spread === null) throw new Error('no spread of some values');
      const below = values.filter((value) => value <= spread.median).length;
      const above = values.filter((value) => value >= spread.median).length;
      expect(2 * below).toBeGreaterThanOrEqual(values.length);
      expect(2 * above).toBeGreaterThanOrEqual(values.length);
      expect([spread.min, spread.max]).toEqual([Math.min(...values), Math.max(...values)]);
    }),
  );
});

test('the median of two values is between them, and no values have no median', () => {
  expect(spreadOf([10, 20])).toEqual({ median: 15, min: 10, max: 20, count: 2 });
  expect(spreadOf([])).toBeNull();
});

test('one bad measurement of many misses the target', () => {
  const spread = { median: 1, min: 0, max: 501, count: 100 };
  expect(meets(spread, { kind: 'at-most', value: 500 })).toBe(false);
  expect(meets({ ...spread, max: 500 }, { kind: 'at-most', value: 500 })).toBe(true);
  expect(meets(spread, { kind: 'at-least', value: 1 })).toBe(false);
});

test('a figure without samples meets no target', () => {
  expect(meets(null, { kind: 'at-most', value: 500 })).toBe(false);
  expect(meets(null, { kind: 'is', value: false })).toBe(false);
});

test('a yes instead of a no is a miss', () => {
  expect(meets(false, { kind: 'is', value: true })).toBe(false);
  expect(meets(true, { kind: 'is', value: true })).toBe(true);
  expect(meets(true, { kind: 'at-least', value: 1 })).toBe(false);
});

test('the most cuts within a window are those of the fullest window, wherever it begins', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 500 }), (cuts, windowMs) => {
      const inWindow = (from: number) => cuts.filter((at) => at >= from && at < from + windowMs).length;
      expect(mostWithin([0, windowMs], windowMs)).toBe(1);
      expect(mostWithin(cuts, windowMs)).toBe(Math.max(...cuts.map(inWindow)));
    }),
  );
});
