import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CostLevel, costLevels, type Effect } from '../../../../src/engine/reconcile/effect.ts';
import { changeCost } from '../../../../src/operate/plan/change-cost.ts';

const effect = (level: CostLevel, connections?: Effect['connections']): Effect => ({
  ...{ kind: 'servers', says: '', level },
  ...(connections !== undefined && { connections }),
});

test('what changes nothing costs nothing, and every connection stays', () => {
  expect(changeCost([], false)).toEqual({ level: 'nothing', fate: 'kept' });
});

test('the worst effect is the level, and a restart is at least one', () => {
  expect(changeCost([effect('vip-move'), effect('reload')], false).level).toBe('vip-move');
  expect(changeCost([effect('reload')], true).level).toBe('restart');
  expect(changeCost([effect('interruption')], true).level).toBe('interruption');
});

test('connections have the shortest time that one effect leaves them', () => {
  const effects = [{ endedWithinMs: 120_000 }, { endedWithinMs: 55_000 }].map((end) => effect('reload', end));
  expect(changeCost(effects, false)).toEqual({ level: 'reload', fate: 'drained', withinMs: 55_000 });
});

test('connections that one effect cuts have no time', () => {
  const effects = [effect('reload', { endedWithinMs: 120_000 }), effect('vip-move', 'cut')];
  expect(changeCost(effects, false)).toEqual({ level: 'vip-move', fate: 'cut', withinMs: 0 });
});

test('one more effect never costs less', () => {
  const effects = fc.array(fc.constantFrom(...costLevels).map((level) => effect(level)));
  const rank = (found: readonly Effect[]): number => costLevels.indexOf(changeCost(found, false).level);
  fc.assert(
    fc.property(effects, effects, (some, more) => {
      expect(rank([...some, ...more])).toBe(Math.max(rank(some), rank(more)));
    }),
  );
});
