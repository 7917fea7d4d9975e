import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupChanged } from '../../../../src/engine/system/group-changed.ts';
import { runs } from '../../../helpers/property-seed.ts';

const keys = ['a', 'b', 'c'];
const items = keys.flatMap((key) => [1, 2, 3].map((number) => ({ key, number })));
const keyOf = ({ key }: (typeof items)[number]) => key;
const lists = fc.array(fc.shuffledSubarray(items), { maxLength: 6 });

test('groups come from the last list, and the keys of changed groups are returned', () => {
  const check = fc.property(lists, (all) => {
    const groups = groupChanged(keyOf);
    const groupOf = (key: string) => new Set(groups.of(key));
    for (const list of all) {
      const before = new Map(keys.map((key) => [key, groupOf(key)]));
      const changed = groups.take(list);
      for (const key of keys) {
        expect(groupOf(key)).toEqual(new Set(list.filter((item) => item.key === key)));
        expect(changed.has(key)).toBe(!isDeepStrictEqual(before.get(key), groupOf(key)));
      }
    }
  });
  fc.assert(check, { numRuns: runs(200) });
});

test('a group without added or removed items remains the same list', () => {
  const groups = groupChanged(keyOf);
  groups.take(items);
  const before = keys.map(groups.of);
  groups.take(items.toReversed().filter(({ key, number }) => key !== 'b' || number !== 2));
  expect(keys.map((key, index) => groups.of(key) === before[index])).toEqual([true, false, true]);
});
