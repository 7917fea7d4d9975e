import { expect, test } from 'vitest';
import { pollPauseMs, pollTimeoutMs } from '../../../../src/engine/kube/watch-loop.ts';

test.each([
  [300, 5_000, 2_000],
  [2_500, 5_000, 2_500],
  [60_000, 5_000, 5_000],
  [300, 1_000, 1_000],
])(
  'polls every %i ms with a request limit of %i ms time out after %i ms',
  (intervalMs, requestTimeoutMs, limitMs) => {
    expect(pollTimeoutMs(intervalMs, { requestTimeoutMs })).toBe(limitMs);
  },
);

test.each([
  [2, 20, 100_000, 200_000],
  [2, 6_000, 10, 6_000],
  [1_000_000, 20, 100_000, 600_000],
])(
  'a poll of %i objects every %i ms at %i ms an object pauses for %i ms',
  (objects, intervalMs, perObjectMs, pauseMs) => {
    const timing = { pollPauseMsPerObject: perObjectMs, resyncMs: 600_000 };
    expect(pollPauseMs(intervalMs, objects, timing)).toBe(pauseMs);
  },
);
