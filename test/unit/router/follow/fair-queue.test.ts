import { expect, test } from 'vitest';
import { createFairQueue } from '../../../../src/router/follow/fair-queue.ts';
import { createRateLimit } from '../../../../src/router/status/rate-limit.ts';
import { createRetries } from '../../../../src/router/status/retries.ts';

test('a tenant with many routes keeps nobody waiting, and a key waits once', () => {
  const queue = createFairQueue();
  for (let index = 0; index < 10_000; index += 1) queue.add('big', `big:${index}`);
  queue.add('small', 'small:a');
  queue.add('small', 'small:a');
  const order = Array.from({ length: 4 }, () => queue.take());
  expect(order).toEqual(['big:0', 'small:a', 'big:1', 'big:2']);
  queue.add('small', 'small:b');
  expect([queue.take(), queue.take()]).toContain('small:b');
});

test('an empty queue gives nothing', () => {
  const queue = createFairQueue();
  expect([queue.isEmpty(), queue.take()]).toEqual([true, undefined]);
  queue.add('a', 'a:a');
  expect([queue.isEmpty(), queue.take(), queue.isEmpty()]).toEqual([false, 'a:a', true]);
});

test('no more than a second may have is taken in any second', () => {
  const limit = createRateLimit(10);
  const at = (nowMs: number) =>
    Array.from({ length: 11 }, () => limit(nowMs)).filter((wait) => wait === 0).length;
  expect([at(0), limit(0), at(100), at(1_000), at(100_000)]).toEqual([10, 100, 1, 9, 10]);
});

test("a failing item's wait doubles each time, until it succeeds", () => {
  let nowMs = 0;
  const retries = createRetries({ firstMs: 100, longestMs: 300 }, () => nowMs);
  const waits = () => {
    retries.failed('a');
    const from = nowMs;
    while (retries.isWaiting('a')) nowMs += 100;
    return nowMs - from;
  };
  expect([waits(), waits(), waits(), waits()]).toEqual([100, 200, 300, 300]);
  expect(retries.keys()).toEqual(['a']);
  retries.succeeded('a');
  expect([retries.keys(), waits()]).toEqual([[], 100]);
});
