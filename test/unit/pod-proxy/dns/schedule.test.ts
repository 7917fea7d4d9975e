import { expect, test } from 'vitest';
import { createSchedule } from '../../../../src/pod-proxy/dns/schedule.ts';

function scheduled() {
  let now = 0;
  const timing = { repairMs: 300_000, retry: { firstMs: 1_000, longestMs: 60_000 } };
  const schedule = createSchedule(timing, () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { ...schedule, pass };
}

test('a new record is published at once, and a published one compared again after the interval', () => {
  const { waitMs, published, pass } = scheduled();
  expect(waitMs('a')).toBe(0);
  published('a', true);
  expect([waitMs('a'), waitMs('b')]).toEqual([300_000, 0]);
  pass(300_001);
  expect(waitMs('a')).toBe(0);
});

test('a failed record is retried with backoff, and a new one meanwhile at once', () => {
  const { waitMs, published } = scheduled();
  const waits = Array.from({ length: 8 }, () => {
    published('a', false);
    return waitMs('a');
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(waitMs('b')).toBe(0);
  published('b', false);
  expect(waitMs('b')).toBe(1_000);
  published('b', true);
  published('b', false);
  expect(waitMs('b')).toBe(1_000);
});
