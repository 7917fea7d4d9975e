import { expect, test } from 'vitest';
import { isFlat, slopeOf } from '../../soak/slope.ts';

const MINUTE_MS = 60_000;
const samples = (valueAt: (minute: number) => number, minutes = 60) =>
  Array.from({ length: minutes * 6 }, (_, index) => ({
    atMs: index * 10_000,
    value: valueAt(index / 6),
  }));

test('a straight line has its slope and no error', () => {
  const slope = slopeOf(
    samples((minute) => 10 + minute / 30),
    2 * MINUTE_MS,
  );
  expect(slope?.perHour).toBeCloseTo(2);
  expect(slope?.error).toBeCloseTo(0);
  expect(slope?.from).toBeCloseTo(10, 0);
  expect(slope?.to).toBeCloseTo(12, 0);
});

test('a sawtooth from garbage collection is flat, and growth beneath it is detected', () => {
  const sawtooth = (minute: number) => (minute % 7) * 0.5;
  const flat = slopeOf(samples(sawtooth), 2 * MINUTE_MS);
  const growing = slopeOf(
    samples((minute) => sawtooth(minute) + minute / 15),
    2 * MINUTE_MS,
  );
  expect(flat && isFlat(flat, 0.5)).toBe(true);
  expect(growing && isFlat(growing, 0.5)).toBe(false);
});

test('a falling slope is flat, and so is one within the tolerance', () => {
  const line = { from: 1, to: 1, error: 0.01 };
  expect(isFlat({ ...line, perHour: -5 }, 0.5)).toBe(true);
  expect(isFlat({ ...line, perHour: 0.4 }, 0.5)).toBe(true);
  expect(isFlat({ ...line, perHour: 0.6 }, 0.5)).toBe(false);
});

test('a few minutes are too short for a slope', () => {
  expect(
    slopeOf(
      samples(() => 1, 5),
      2 * MINUTE_MS,
    ),
  ).toBeUndefined();
});
