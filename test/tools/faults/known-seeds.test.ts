import { expect, test } from 'vitest';
import { kindOf } from '../../faults/generate/catalogue.ts';
import { knownSeeds } from '../../faults/known-seeds.ts';
import { readOptions } from '../../faults/options.ts';

test('every fault of a known seed can still be brought about', () => {
  for (const { name, variant, startMs, endMs } of knownSeeds.flatMap(({ episodes }) =>
    episodes.flatMap(({ faults }) => faults),
  )) {
    const { variants, lastsMs } = kindOf(name);
    expect(variants).toContain(variant);
    expect(endMs - startMs).toBeGreaterThanOrEqual(lastsMs[0]);
  }
});

test('the plan of a known seed ends with the episode that found something, and faults of a run differ by their ids', () => {
  for (const { episode, episodes } of knownSeeds) {
    expect(episodes.at(-1)?.number).toBe(episode);
    const ids = episodes.flatMap(({ faults }) => faults.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test('all known seeds are repeated, or those of one number', () => {
  const known = (...argv: readonly string[]) => readOptions(argv, 0).known;
  expect(known()).toBeUndefined();
  expect(known('--known')).toEqual(knownSeeds);
  expect(known('--known', '--seed', '513')?.map(({ episode }) => episode)).toEqual([33]);
  expect(() => known('--known', '--seed', '5')).toThrow('Cannot repeat seed "5"');
});
