import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interleave } from '../../../../src/router/serve/set-difference.ts';

const item = fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd'), id: fc.nat() });

test('each item occurs once, and each group keeps its order', () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const turned = interleave(items, ({ group }) => group);
      expect(turned).toHaveLength(items.length);
      for (const group of ['a', 'b', 'c', 'd'])
        expect(turned.filter((each) => each.group === group)).toEqual(
          items.filter((each) => each.group === group),
        );
    }),
  );
});

test('an item waits for at most one more item of another group than there are before it in its own', () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const turned = interleave(items, ({ group }) => group);
      for (const [index, { group }] of turned.entries()) {
        const before = turned.slice(0, index);
        const own = before.filter((each) => each.group === group).length;
        const others = Map.groupBy(before, (each) => each.group);
        for (const [name, each] of others)
          if (name !== group) expect(each.length).toBeLessThanOrEqual(own + 1);
      }
    }),
  );
});
