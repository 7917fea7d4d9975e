import { expect, test } from 'vitest';
import { scatteredPauseMs } from '../../../../../src/engine/system/time/retry.ts';

const limits = { firstMs: 100, longestMs: 500 };

test('pauses double up to the longest one', () => {
  const pauses = [0, 1, 2, 3, 4, 5].map((failures) => scatteredPauseMs(failures, limits, () => 0));
  expect(pauses).toEqual([0, 100, 200, 400, 500, 500]);
});

test('jitter shortens a pause by at most half', () => {
  expect(scatteredPauseMs(1, limits, () => 0.999_999)).toBeCloseTo(50, 2);
});
