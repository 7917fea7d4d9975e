import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstRefused } from '../../../../src/router/live/first-refused.ts';

test('the first item that makes the difference is found, in as many checks as the number of items has binary digits and two', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5_000 }), fc.nat(), async (count, at) => {
      const items = Array.from({ length: count }, (_, index) => index);
      const bad = at % count;
      let checks = 0;
      const search = await firstRefused(items, async (some) => {
        checks += 1;
        return !some.includes(bad);
      });
      expect(search).toEqual({ kind: 'found', item: bad });
      expect(checks).toBeLessThanOrEqual(2 + count.toString(2).length);
    }),
  );
});

test('of two that cannot be together, it is the later one', async () => {
  const search = await firstRefused(
    ['a', 'b', 'c'],
    async (some) => !(some.includes('a') && some.includes('c')),
  );
  expect(search).toEqual({ kind: 'found', item: 'c' });
});

test('it is none where nothing is refused too, and unknown where no check can be made', async () => {
  expect(await firstRefused(['a'], async () => false)).toEqual({ kind: 'none' });
  expect(await firstRefused(['a', 'b'], async (some) => (some.length === 0 ? true : undefined))).toEqual({
    kind: 'unknown',
  });
});
