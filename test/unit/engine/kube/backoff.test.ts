import { expect, test } from 'vitest';
import { createBackoff } from '../../../../src/engine/kube/backoff.ts';

test('waiting times double up to the cap and start over after a reset', () => {
  const backoff = createBackoff({ firstMs: 100, capMs: 500, random: () => 0 });
  expect(Array.from({ length: 5 }, () => backoff.nextMs())).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect(backoff.nextMs()).toBe(100);
});

test('chance shortens a wait by at most half', () => {
  const backoff = createBackoff({ firstMs: 100, capMs: 500, random: () => 0.999_999 });
  expect(backoff.nextMs()).toBeCloseTo(50, 2);
});
