import { expect, test } from 'vitest';
import { isoTime } from '../../../../src/engine/system/time/iso-time.ts';
import { placesOf } from '../../../../src/operate/timeline/places.ts';

const startMs = Date.UTC(2026, 0, 5);
const at = (seconds: number): string => isoTime(startMs + seconds * 1_000);
const placed = (...seconds: readonly number[]) => placesOf(seconds.map(at)).map((place) => place.at);

test('lines of a clock that jumped forward are placed before its correction', () => {
  expect(placed(0, 1, 3_600, 3_601, 2, 3)).toEqual([0, 1, 2, 2, 2, 3].map(at));
});

test('lines of a clock that jumped back are placed at the jump until it has caught up', () => {
  expect(placed(0, 2, 4, 6, 8, 10, 1, 5, 11)).toEqual([0, 2, 4, 6, 8, 10, 10, 10, 11].map(at));
});

test('a journal whose times only fall is read in the time of any other', () => {
  const count = 300_000;
  const places = placesOf(Array.from({ length: count }, (_, index) => at(-2 * index)));
  expect(places.at(0)?.at).toBe(at(-2 * (count - 1)));
  expect(places.at(-1)).toMatchObject({ clockBackMs: 2_000, clockOffMs: 0 });
});
