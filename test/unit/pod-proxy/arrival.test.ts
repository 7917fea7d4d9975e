import { expect, it } from 'vitest';
import { createArrival } from '../../../src/pod-proxy/arrival.ts';

it('tells how long a change took since it came, once', () => {
  const arrival = createArrival<string>((a, b) => a === b);
  arrival.see('a', 0);
  expect(arrival.markServed('a', 150)).toBe(150);
  expect(arrival.markServed('a', 6_000)).toBeUndefined();
  arrival.see('b', 7_000);
  arrival.see('b', 7_050);
  expect(arrival.markServed('b', 7_300)).toBe(300);
});

it('a value that was not seen to come took no time that is known', () => {
  const arrival = createArrival<string>((a, b) => a === b);
  arrival.see('a', 0);
  expect(arrival.markServed('b', 150)).toBeUndefined();
});
