import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  initialUsableState,
  nextUsableState,
  type UsableSample,
  type UsableState,
} from '../../../../src/api-lb/redirect/usable.ts';

const next = (state: UsableState, sample: UsableSample, second: number): UsableState =>
  nextUsableState(state, sample, second * 1_000, 6_000);

/** One sample per second, starting at second 0. */
function after(samples: readonly UsableSample[], from: UsableState = initialUsableState): UsableState {
  return samples.reduce((state, sample, second) => next(state, sample, second), from);
}

const usable = after(['ok', 'ok']);

it('is not usable before the first sample, nor after one good sample', () => {
  expect(after([]).usable).toBe(false);
  expect(after(['ok']).usable).toBe(false);
});

it('is usable after two consecutive good samples only', () => {
  expect(usable.usable).toBe(true);
  expect(after(['ok', 'failed', 'ok']).usable).toBe(false);
  expect(after(['ok', 'unknown', 'ok']).usable).toBe(false);
});

it('stays usable while failing for less than six seconds', () => {
  expect(after(Array(6).fill('failed'), usable).usable).toBe(true);
  expect(after(Array(7).fill('failed'), usable).usable).toBe(false);
});

it('one good sample resets the count of failures', () => {
  const samples: UsableSample[] = [...Array(5).fill('failed'), 'ok', ...Array(6).fill('failed')];
  expect(after(samples, usable).usable).toBe(true);
});

it('neither starts nor ends a run of failures when the poll has no result', () => {
  expect(after(Array(20).fill('unknown'), usable).usable).toBe(true);
  expect(after(['failed', ...Array(5).fill('unknown'), 'failed'], usable).usable).toBe(false);
});

it('needs two good samples again after it was removed', () => {
  const removed = after(Array(7).fill('failed'), usable);
  expect(after(['ok'], removed).usable).toBe(false);
  expect(after(['ok', 'ok'], removed).usable).toBe(true);
});

it('never becomes unusable after a good sample, nor usable after a bad one', () => {
  const sample = fc.constantFrom<UsableSample>('ok', 'failed', 'unknown');
  fc.assert(
    fc.property(fc.array(sample), sample, (samples, last) => {
      const before = after(samples);
      const { usable: now } = next(before, last, samples.length);
      return last === 'ok' ? now || !before.usable : before.usable || !now;
    }),
  );
});
