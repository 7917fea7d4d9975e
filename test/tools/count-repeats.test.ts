import { expect, test } from 'vitest';
import { countRepeats } from '../../scripts/count-repeats.ts';

test('a repeated test counts once a run, over the last ten runs, if the newest repeated it', () => {
  const old = [['a'], ['a', 'a'], ['b']];
  const quiet = Array.from({ length: 7 }, () => []);
  expect(countRepeats([...old, ['a', 'a', 'c']])).toEqual(
    new Map([
      ['a', 3],
      ['c', 1],
    ]),
  );
  expect(countRepeats([...old, ...quiet, ['a']])).toEqual(new Map([['a', 2]]));
  expect(countRepeats([...old, []])).toEqual(new Map());
});
