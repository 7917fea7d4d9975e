import { expect, it } from 'vitest';
import { createArrival } from '../../../src/pod-proxy/arrival.ts';

it('returns the time from the arrival of a change until it is served, once', () => {
  const arrival = createArrival<string>((a, b) => a === b);
  arrival.observe('a', 0);
  expect(arrival.markServed('a', 150)).toBe(150);
  expect(arrival.markServed('a', 6_000)).toBeUndefined();
  arrival.observe('b', 7_000);
  arrival.observe('b', 7_050);
  expect(arrival.markServed('b', 7_300)).toBe(300);
});

it('returns undefined for a value whose arrival was not observed', () => {
  const arrival = createArrival<string>((a, b) => a === b);
  arrival.observe('a', 0);
  expect(arrival.markServed('b', 150)).toBeUndefined();
});
