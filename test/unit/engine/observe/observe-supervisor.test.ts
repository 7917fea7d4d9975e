import { expect, test } from 'vitest';
import {
  type CpuStarvation,
  createStarvationWatch,
  nextStarvation,
  type WaitSample,
} from '../../../../src/engine/observe/observe-supervisor.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';

const calm: WaitSample = { lagMs: 20, lateTimers: 0 };
const seconds = (samples: readonly WaitSample[]): CpuStarvation | undefined =>
  samples.reduce<CpuStarvation | undefined>(
    (before, sample, second) => nextStarvation(before, sample, second * 1_000),
    undefined,
  );
const repeated = (count: number, sample: WaitSample) => Array.from({ length: count }, () => sample);

test('a busy machine does not count as starved', () => {
  expect(seconds(repeated(100, { lagMs: 250, lateTimers: 0 }))).toBe(undefined);
});

test('a long wait of this process, or a late timer of keepalived, counts as starvation', () => {
  expect(seconds([calm, { lagMs: 400, lateTimers: 0 }])).toMatchObject({ since: 1_000 });
  expect(seconds([calm, { lagMs: 0, lateTimers: 1 }])).toMatchObject({ lateTimers: 1 });
});

test('consecutive waits are one starvation, with the longest wait', () => {
  const waits = repeated(5, { lagMs: 400, lateTimers: 2 }).flatMap((wait) => [wait, ...repeated(5, calm)]);
  expect(seconds([{ lagMs: 900, lateTimers: 0 }, ...waits])).toEqual({
    since: 0,
    lastAt: 25_000,
    worstLagMs: 900,
    lateTimers: 10,
  });
});

test('starvation ends after ten calm seconds', () => {
  const wait = { lagMs: 400, lateTimers: 0 };
  expect(seconds([wait, ...repeated(9, calm)])).toMatchObject({ since: 0 });
  expect(seconds([wait, ...repeated(10, calm)])).toBe(undefined);
});

test('starvation is reported when it starts and when it ends, whatever happens in between', () => {
  const told: LogEvent[] = [];
  let now = 0;
  const watch = createStarvationWatch(
    (event) => void told.push(event),
    () => now,
  );
  const second = (lagSeconds: number, late = 0): void => {
    now += 1_000;
    for (let timer = 0; timer < late; timer += 1) watch.lateTimer();
    watch.lag(lagSeconds);
  };
  for (const lag of [0.01, 0.02]) second(lag);
  second(0.01, 2);
  for (const lag of [0.9, 0.01, 0.4]) second(lag);
  expect(told).toEqual([{ event: 'cpu-starvation', level: 'warn', lagMs: 10, lateTimers: 2 }]);
  for (let calm = 0; calm < 20; calm += 1) second(0.01);
  expect(told.slice(1)).toEqual([
    { event: 'cpu-starvation-ended', worstLagMs: 900, lateTimers: 2, lastedMs: 3_000 },
  ]);
});
