import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckOutcome } from '../../../../src/engine/config/check.ts';
import { sift } from '../../../../src/router/serve/sift.ts';

const verdict = (isTaken: boolean, detail = ''): CheckOutcome =>
  isTaken ? { kind: 'valid' } : { kind: 'invalid', message: '', detail };

test('each that is refused is found, one among many in twice as many checks as the number of items has binary digits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 9 }),
      async (count, places) => {
        const items = Array.from({ length: count }, (_, index) => index);
        const bad = new Set(places.map((place) => place % count));
        let checks = 0;
        const check = async (some: readonly number[]) => {
          checks += 1;
          return verdict(!some.some((each) => bad.has(each)), `${some.find((each) => bad.has(each))}`);
        };
        const { taken, refused, open } = await sift(
          items,
          `${[...bad].sort((a, b) => a - b)[0]}`,
          check,
          10_000,
        );
        expect(new Set(refused.keys())).toEqual(bad);
        for (const [item, said] of refused) if (bad.size === 1) expect(said).toBe(`${item}`);
        expect([taken.length, open]).toEqual([count - bad.size, []]);
        expect(checks).toBeLessThanOrEqual(2 * bad.size * count.toString(2).length);
      },
    ),
  );
});

test('of two conflicting suspects the later one is blamed', async () => {
  const check = async (some: readonly string[]) => verdict(!(some.includes('a') && some.includes('c')));
  const { taken, refused } = await sift(['a', 'b', 'c'], 'x', check, 10);
  expect([taken, [...refused]]).toEqual([['a', 'b'], [['c', 'x']]]);
});

test('suspects not cleared within the limit of checks stay open', async () => {
  let checks = 0;
  const items = Array.from({ length: 32 }, (_, index) => index);
  const found = await sift(
    items,
    '',
    async (some) => verdict(some.every((each) => ++checks > 0 && each > 29)),
    6,
  );
  expect(found.taken.length + found.refused.size + found.open.length).toBe(32);
  expect(found.open.length).toBeGreaterThan(20);
});
