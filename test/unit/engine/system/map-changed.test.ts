import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapChanged } from '../../../../src/engine/system/map-changed.ts';

const items = Array.from({ length: 8 }, (_, index) => ({ index }));
const lists = fc.array(fc.array(fc.constantFrom(...items), { maxLength: 8 }), {
  minLength: 2,
  maxLength: 10,
});

test('mapping successive lists equals mapping each alone', () => {
  fc.assert(
    fc.property(lists, (all) => {
      const made = mapChanged(({ index }: (typeof items)[number]) => ({ index }));
      for (const list of all) expect(made(list)).toEqual(list.map(({ index }) => ({ index })));
    }),
    { numRuns: 1_000 },
  );
});

test('only the changed item of a list is mapped again', () => {
  const asked: number[] = [];
  const made = mapChanged(({ index }: (typeof items)[number]) => {
    asked.push(index);
    return { index };
  });
  const first = made(items);
  expect(made([...items])).toBe(first);
  asked.length = 0;
  const changed = items.with(3, { index: 30 });
  const [second, third] = [made(changed), made(changed.toSpliced(5, 0, { index: 50 }))];
  expect(asked).toEqual([30, 50]);
  expect(second.map((each, at) => each === first[at])).toEqual(items.map(({ index }) => index !== 3));
  expect(third.map(({ index }) => index)).toEqual([0, 1, 2, 30, 4, 50, 5, 6, 7]);
});
