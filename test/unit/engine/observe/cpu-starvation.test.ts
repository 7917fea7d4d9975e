import { expect, test } from 'vitest';
import {
  type CpuStarvation,
  nextStarvation,
  type WaitSample,
} from '../../../../src/engine/observe/cpu-starvation.ts';

const calm: WaitSample = { lagMs: 20, lateTimers: 0 };
const seconds = (samples: readonly WaitSample[]): CpuStarvation =>
  samples.reduce<CpuStarvation>((known, sample, second) => nextStarvation(known, sample, second * 1_000), {
    kind: 'none',
  });
const times = (count: number, sample: WaitSample) => Array.from({ length: count }, () => sample);

test('a busy machine is not a starved one', () => {
  expect(seconds(times(100, { lagMs: 250, lateTimers: 0 }))).toEqual({ kind: 'none' });
});

test('a long wait of our own, or a late timer of keepalived, is starvation', () => {
  expect(seconds([calm, { lagMs: 400, lateTimers: 0 }])).toMatchObject({ kind: 'starved', since: 1_000 });
  expect(seconds([calm, { lagMs: 0, lateTimers: 1 }])).toMatchObject({ kind: 'starved', lateTimers: 1 });
});

test('waits that follow each other are one starvation, which knows the worst of them', () => {
  const waits = times(5, { lagMs: 400, lateTimers: 2 }).flatMap((wait) => [wait, ...times(5, calm)]);
  expect(seconds([{ lagMs: 900, lateTimers: 0 }, ...waits])).toEqual({
    kind: 'starved',
    since: 0,
    lastAt: 25_000,
    worstLagMs: 900,
    lateTimers: 10,
  });
});

test('it is over after ten calm seconds, not before', () => {
  const wait = { lagMs: 400, lateTimers: 0 };
  expect(seconds([wait, ...times(9, calm)]).kind).toBe('starved');
  expect(seconds([wait, ...times(10, calm)]).kind).toBe('none');
});
