import { expect, test } from 'vitest';
import { monotonicOf } from '../../faults/world/clock-settings.ts';

const hour = 3_600_000;
const settings = [
  { fromMs: 0, aheadMs: 2 * hour },
  { fromMs: 10_000, aheadMs: 3 * hour },
  { fromMs: 15_000, aheadMs: 2 * hour },
  { fromMs: 20_000, aheadMs: hour },
];

test('a time that a program read is translated by the clock that it had then', () => {
  const when = (shownMs: number) => monotonicOf(settings, shownMs, 1_000);
  expect(when(2 * hour + 5_000)).toBe(5_000);
  expect(when(3 * hour + 12_000)).toBe(12_000);
  expect(when(2 * hour + 17_000)).toBe(17_000);
  expect(when(hour + 90_000)).toBe(90_000);
});

test('a program that has not noticed a jump yet is understood', () => {
  expect(monotonicOf(settings, 2 * hour + 10_900, 1_000)).toBe(10_900);
  expect(monotonicOf(settings, 3 * hour + 15_900, 1_000)).toBe(15_900);
});

test('without any setting the clock is that of the machine', () => {
  expect(monotonicOf([], 5_000, 1_000)).toBe(5_000);
});
