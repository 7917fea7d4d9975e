import { expect, test } from 'vitest';
import { createReloadPace } from '../../../../src/engine/reconcile/reload-pace.ts';

const reloaded = { kind: 'reloaded', acknowledged: true, tookMs: 300 } as const;

test('the first change waits for nothing, the next one for the interval, and what is served already not at all', () => {
  let nowMs = 1_000;
  const pace = createReloadPace(5_000, () => nowMs);
  expect([pace.holdMs('a'), pace.hasServed()]).toEqual([0, false]);
  pace.note('a', reloaded, 700);
  nowMs = 2_000;
  expect([pace.holdMs('b'), pace.holdMs('a'), pace.hasServed()]).toEqual([3_700, 0, true]);
  nowMs = 5_700;
  expect(pace.holdMs('b')).toBe(0);
});

test('a refused configuration leaves the router as ready as it was, and costs no interval', () => {
  const pace = createReloadPace(5_000, () => 9_000);
  pace.note('a', { kind: 'unchanged' }, 9_000);
  pace.note('b', { kind: 'rejected', by: 'check', message: '', detail: '' }, 9_000);
  expect([pace.hasServed(), pace.isServed('a'), pace.holdMs('c')]).toEqual([true, false, 0]);
});

test('a reload that failed counts from its start, as one that was made does', () => {
  const pace = createReloadPace(5_000, () => 9_000);
  pace.note('a', { kind: 'rejected', by: 'reload', message: '', detail: '' }, 5_000);
  expect(pace.holdMs('b')).toBe(1_000);
});
