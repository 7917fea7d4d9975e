import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  initialHolding,
  type LocalVrrpRole,
  nextHolding,
} from '../../../../src/vip/group/local-vrrp-role.ts';

type Look = readonly [atMs: number, role: LocalVrrpRole['role'], ageMs?: number];
const after = (looks: readonly Look[]) =>
  looks.reduce(
    (holding, [atMs, role, ageMs = 10]) => nextHolding(holding, { role, ageMs }, atMs),
    initialHolding,
  );

test('an observation during a reload, even a late one, does not cost the holder its bonus', () => {
  fc.assert(
    fc.property(fc.nat(60_000), fc.nat(499), (atMs, ageMs) => {
      const looks: readonly Look[] = [
        [0, 'holder'],
        [atMs, 'backup', ageMs],
      ];
      expect(after(looks)).toMatchObject({ kind: 'held' });
    }),
  );
});

test('consecutive reloads do not cost the holder its bonus', () => {
  const reloads = Array.from({ length: 50 }, (_, index): readonly Look[] => [
    [index * 400, 'backup'],
    [index * 400 + 200, 'holder'],
  ]).flat();
  expect(after([[0, 'holder'], ...reloads, [20_000, 'backup']])).toMatchObject({ kind: 'held' });
});

test('observations that each fall into a different reload do not add up', () => {
  const looks = Array.from({ length: 20 }, (_, index): Look => [200 + index * 200, 'backup', 50]);
  expect(after([[0, 'holder'], ...looks])).toMatchObject({ kind: 'held' });
});

test('a holder beaten half a second ago is no longer the holder, even without an observation since', () => {
  const late: readonly Look[] = [
    [0, 'holder'],
    [6_000, 'backup', 500],
  ];
  expect(after(late)).toEqual({ kind: 'none' });
});

test('a beaten holder loses its bonus even if the wall clock was set back', () => {
  const beaten: readonly Look[] = [
    [0, 'holder'],
    [200, 'backup', -3_600_000],
    [700, 'backup', -3_599_500],
  ];
  expect(after(beaten)).toEqual({ kind: 'none' });
});

test('a node that fails or stops loses the role at once, and does not regain it as a backup', () => {
  const failed: readonly Look[] = [
    [0, 'holder'],
    [1, 'none'],
  ];
  expect(after(failed)).toEqual({ kind: 'none' });
  expect(after([...failed, [2, 'backup']])).toEqual({ kind: 'none' });
});

test('a backup never counts as the holder unless it was one', () => {
  const roles = fc.array(fc.constantFrom<LocalVrrpRole['role']>('backup', 'none'));
  fc.assert(
    fc.property(roles, (seen) => {
      expect(after(seen.map((role, index) => [index * 100, role]))).toEqual({ kind: 'none' });
    }),
  );
});
