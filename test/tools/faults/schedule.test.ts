import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultNames as all, kindOf } from '../../faults/generate/catalogue.ts';
import { type PlannedFault, planEpisode, roles } from '../../faults/generate/schedule.ts';

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const number = fc.integer({ min: 1, max: 100_000 });

test('the same seed and number always plan the same episode, and others a different one', () => {
  fc.assert(
    fc.property(seed, number, (of, which) => {
      expect(planEpisode(of, which, all)).toEqual(planEpisode(of, which, all));
    }),
  );
  const plans = [planEpisode(1, 1, all), planEpisode(1, 2, all), planEpisode(2, 1, all)];
  expect(
    new Set(plans.map(({ faults }) => JSON.stringify(faults.map(({ id: _, ...each }) => each)))).size,
  ).toBe(3);
});

test('an episode has one to four faults in order, each within the limits of its kind', () => {
  fc.assert(
    fc.property(seed, number, (of, which) => {
      const { faults } = planEpisode(of, which, all);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.length).toBeLessThan(5);
      expect(faults).toEqual(faults.toSorted((a, b) => a.startMs - b.startMs));
      for (const { name, variant, startMs, endMs, turns } of faults) {
        const { variants, lastsMs } = kindOf(name);
        expect(variants).toContain(variant);
        if (turns !== undefined) continue;
        expect(endMs - startMs).toBeGreaterThanOrEqual(lastsMs[0]);
        expect(endMs - startMs).toBeLessThanOrEqual(lastsMs[1]);
      }
    }),
  );
});

test('a fault on every node hits each once, in any order, at most three seconds after the previous one', () => {
  const orders = new Set<string>();
  for (let number = 1; number < 500; number += 1)
    for (const { variant, role, startMs, endMs, turns } of planEpisode(3, number, ['restart-pod']).faults) {
      expect(turns === undefined).toBe(variant !== 'every node');
      if (turns === undefined) continue;
      expect(turns.map((turn) => turn.role).toSorted()).toEqual(roles.toSorted());
      expect([turns[0], turns.at(-1)?.startMs]).toEqual([{ role, startMs }, endMs]);
      for (const [index, turn] of turns.slice(1).entries()) {
        expect(turn.startMs).toBeGreaterThanOrEqual(turns[index]?.startMs ?? Number.NaN);
        expect(turn.startMs).toBeLessThanOrEqual((turns[index]?.startMs ?? Number.NaN) + 3_000);
      }
      orders.add(turns.map((turn) => turn.role).join());
    }
  expect(orders.size).toBe(6);
});

test('no two network faults overlap, and nothing else hits a node that is powered off or replaced', () => {
  const overlap = (a: PlannedFault, b: PlannedFault) => a.startMs <= b.endMs && b.startMs <= a.endMs;
  fc.assert(
    fc.property(seed, number, (of, which) => {
      const { faults } = planEpisode(of, which, all);
      for (const [index, fault] of faults.entries())
        for (const other of faults.slice(index + 1).filter((each) => overlap(fault, each))) {
          expect([fault, other].every(({ name }) => kindOf(name).place === 'network')).toBe(false);
          if (fault.role === other.role) {
            expect([fault.name, other.name]).not.toContain('power-off');
            expect([fault.name, other.name]).not.toContain('replace-node');
          }
        }
    }),
  );
});

test('ten thousand episodes include every variant of every kind', () => {
  const seen = new Set(
    Array.from({ length: 10_000 }, (_, index) => planEpisode(7, index + 1, all)).flatMap(({ faults }) =>
      faults.map(({ name, variant }) => `${name} ${variant}`),
    ),
  );
  const every = all.flatMap((name) => kindOf(name).variants.map((variant) => `${name} ${variant}`));
  expect([...seen].sort()).toEqual(every.sort());
});
