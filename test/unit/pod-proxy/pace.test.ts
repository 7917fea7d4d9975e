import { expect, it } from 'vitest';
import { createPace } from '../../../src/pod-proxy/pace.ts';

const create = () => createPace<string>(1_000, (a, b) => a === b);
const at = (input: string) => ({ input, lookAgainInMs: undefined });

it('the first change is let through at once, and so is one after a quiet interval', () => {
  const pace = create();
  expect(pace.next('a', 0)).toEqual(at('a'));
  expect(pace.next('b', 5_000)).toEqual(at('b'));
});

it('a change within the interval waits for its end, and only the last one of many is let through', () => {
  const pace = create();
  pace.next('a', 0);
  expect(pace.next('b', 100)).toEqual({ input: 'a', lookAgainInMs: 900 });
  expect(pace.next('c', 400)).toEqual({ input: 'a', lookAgainInMs: 600 });
  expect(pace.next('c', 1_000)).toEqual(at('c'));
});

it('a change that is taken back within the interval is none', () => {
  const pace = create();
  pace.next('a', 0);
  pace.next('b', 100);
  expect(pace.next('a', 200)).toEqual(at('a'));
  expect(pace.next('a', 1_500)).toEqual(at('a'));
});

it('tells how long a change took since it came, once', () => {
  const pace = create();
  pace.see('a', 0);
  pace.next('a', 20);
  expect(pace.markServed('a', 150)).toBe(150);
  expect(pace.markServed('a', 6_000)).toBeUndefined();
  pace.see('b', 7_000);
  pace.see('b', 7_050);
  pace.next('b', 7_100);
  expect(pace.markServed('b', 7_300)).toBe(300);
});
