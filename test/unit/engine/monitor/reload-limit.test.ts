import { expect, test } from 'vitest';
import { reloadStartMs, reloadWaitMs } from '../../../../src/engine/monitor/reload-limit.ts';

test('the first reload waits for nothing, and each further one until the interval since the last start has passed', () => {
  expect(reloadWaitMs(undefined, 5_000, 7)).toBe(0);
  expect(reloadWaitMs(1_000, 5_000, 2_500)).toBe(3_500);
  expect(reloadWaitMs(1_000, 5_000, 6_000)).toBe(0);
});

test('a reload that took longer than the interval is followed at once', () => {
  const startMs = reloadStartMs({ kind: 'reloaded', tookMs: 8_000 }, 1_000, 10_000);
  expect(startMs).toBe(2_000);
  expect(reloadWaitMs(startMs, 5_000, 10_000)).toBe(0);
});

test('a file that validation refused was not a reload, and a later failure was one', () => {
  const refused = { kind: 'rejected', message: '', detail: '' } as const;
  expect(reloadStartMs({ ...refused, by: 'check' }, 3, 10)).toBeUndefined();
  expect(reloadStartMs({ ...refused, by: 'reload' }, 3, 10)).toBe(3);
  expect(reloadStartMs({ kind: 'unchanged' }, 3, 10)).toBeUndefined();
});
