import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepOrder } from '../../../../src/engine/system/keep-order.ts';

test('a list that is sorted again is in the order of one that is sorted for the first time', () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 60 })), { maxLength: 6 }), (lists) => {
      const sort = keepOrder<number>((one, other) => one - other);
      for (const list of lists) expect(sort(list)).toEqual(list.toSorted((one, other) => one - other));
    }),
  );
});

test('items in their old order are compared once, and new ones a few times', () => {
  let comparisons = 0;
  const sort = keepOrder<number>((one, other) => {
    comparisons += 1;
    return one - other;
  });
  const many = Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 10_007);
  sort(many);
  comparisons = 0;
  sort([...many.slice(1), 20_000]);
  expect(comparisons).toBeLessThan(11_000);
});
