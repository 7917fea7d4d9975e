import { afterEach, expect, test, vi } from 'vitest';
import {
  createWorkQueue,
  startWorkers,
  type WorkQueue,
} from '../../../../../src/engine/system/time/workqueue.ts';

const retry = { firstMs: 1_000, longestMs: 60_000 };
const groupOf = (key: string): string => key.slice(0, key.indexOf(':'));

afterEach(() => {
  vi.useRealTimers();
});

function takeAll(queue: WorkQueue, nowMs: number): readonly string[] {
  const keys: string[] = [];
  for (let key = queue.take(nowMs); key !== undefined; key = queue.take(nowMs)) {
    keys.push(key);
    queue.done(key, nowMs);
  }
  return keys;
}

test('a group with many keys does not delay another, and a key is queued once', () => {
  const queue = createWorkQueue({ concurrency: 1, retry, groupOf });
  for (let index = 0; index < 10_000; index += 1) queue.add(`big:${index}`);
  queue.add('small:a');
  queue.add('small:a');
  const order = takeAll(queue, 0);
  expect(order.slice(0, 4)).toEqual(['big:0', 'small:a', 'big:1', 'big:2']);
  expect(order).toHaveLength(10_001);
});

test('an empty queue returns no key and no wait', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  expect([queue.take(0), queue.waitMs(0)]).toEqual([undefined, undefined]);
});

test('keys wait while the maximum number is in progress', () => {
  const queue = createWorkQueue({ concurrency: 2, retry });
  for (const key of ['a', 'b', 'c']) queue.add(key);
  expect([queue.take(0), queue.take(0), queue.take(0), queue.waitMs(0)]).toEqual([
    ...['a', 'b', undefined, undefined],
  ]);
  queue.done('a', 0);
  expect(queue.take(0)).toBe('c');
});

test('the rate limit allows a burst, then a number of keys per second', () => {
  const queue = createWorkQueue({ concurrency: 1, retry, rate: { perSecond: 10, burst: 5 } });
  for (let index = 0; index < 100; index += 1) queue.add(`${index}`);
  const taken = (nowMs: number) => takeAll(queue, nowMs).length;
  expect([taken(0), queue.waitMs(0), taken(99), taken(100), taken(1_100)]).toEqual([5, 100, 0, 1, 5]);
});

test('the backoff of a key doubles with each failure, until it succeeds', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  queue.add('a');
  let nowMs = 0;
  const waits = Array.from({ length: 8 }, () => {
    queue.failed(queue.take(nowMs) ?? '', nowMs);
    const waitMs = queue.waitMs(nowMs) ?? 0;
    nowMs += waitMs;
    return waitMs;
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(queue.failing()).toBe(1);
  queue.done(queue.take(nowMs) ?? '', nowMs);
  queue.add('a');
  queue.failed(queue.take(nowMs) ?? '', nowMs);
  expect(queue.waitMs(nowMs)).toBe(1_000);
});

test('a key in backoff keeps its time until it is forgotten', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  queue.add('a');
  queue.failed(queue.take(0) ?? '', 0);
  queue.add('a');
  expect([queue.take(999), queue.waitMs(999)]).toEqual([undefined, 1]);
  queue.forget('a');
  expect([queue.failing(), queue.waitMs(999)]).toEqual([0, undefined]);
  queue.add('a');
  expect(queue.take(999)).toBe('a');
});

test('a key added while in progress is due again afterwards', () => {
  const queue = createWorkQueue({ concurrency: 2, retry });
  queue.add('a');
  queue.take(0);
  queue.add('a');
  expect(queue.take(0)).toBeUndefined();
  queue.done('a', 0, 60_000);
  expect(queue.take(0)).toBe('a');
});

test('a key forgotten while in progress is not queued again', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  for (const end of [() => queue.failed('a', 0), () => queue.done('a', 0, 1_000)]) {
    queue.add('a');
    queue.take(0);
    queue.forget('a');
    end();
    expect([queue.failing(), queue.waitMs(0)]).toEqual([0, undefined]);
  }
});

test('a key is due again after the time that its work returns', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  queue.add('a');
  queue.done(queue.take(0) ?? '', 0, 300_000);
  expect([queue.take(299_999), queue.waitMs(299_999), queue.take(300_000)]).toEqual([undefined, 1, 'a']);
});

test('a paused queue returns no key until the pause ends', () => {
  const queue = createWorkQueue({ concurrency: 1, retry });
  queue.add('a');
  queue.pause(500);
  expect([queue.take(499), queue.waitMs(400), queue.take(500)]).toEqual([undefined, 100, 'a']);
});

test('workers wait for backoff, and start nothing after an abort', async () => {
  vi.useFakeTimers();
  const stop = new AbortController();
  const queue = createWorkQueue({ concurrency: 1, retry });
  const worked: number[] = [];
  const startMs = Date.now();
  const work = async () => {
    worked.push(Date.now() - startMs);
    return { kind: 'failed' } as const;
  };
  const workers = startWorkers(queue, work, Date.now, stop.signal);
  queue.add('a');
  workers.pump();
  await vi.advanceTimersByTimeAsync(3_500);
  stop.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await workers.settled();
  expect(worked).toEqual([0, 1_000, 3_000]);
});
