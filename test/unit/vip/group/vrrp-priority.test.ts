import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pointsOf, TRACK, type TrackHealth, trackAddends } from '../../../../src/keepalived/track-value.ts';
import {
  baseAddend,
  maxGroupSize,
  prioritySpread,
  prioritySum,
  vrrpPriority,
} from '../../../../src/vip/group/vrrp-priority.ts';

const prioritiesOf = (size: number) => Array.from({ length: size }, (_, index) => vrrpPriority(index, size));
const sizes = Array.from({ length: maxGroupSize }, (_, index) => index + 1);

test('decrease with the index in the list', () => {
  expect(prioritiesOf(1)).toEqual([220]);
  expect(prioritiesOf(2)).toEqual([220, 210]);
  expect(prioritiesOf(3)).toEqual([220, 210, 200]);
  expect(prioritiesOf(5)).toEqual([220, 213, 206, 199, 192]);
});

test('are distinct and valid in a group of any size', () => {
  for (const size of sizes) {
    const priorities = prioritiesOf(size);
    expect(new Set(priorities).size).toBe(size);
    expect(Math.min(...priorities)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...priorities)).toBeLessThanOrEqual(254);
  }
});

test('let the last of 29 nodes keep the VIP when the first one returns', () => {
  for (const size of sizes.filter((each) => each <= 29)) {
    const priorities = prioritiesOf(size);
    expect(Math.max(...priorities) - Math.min(...priorities)).toBeLessThanOrEqual(prioritySpread);
  }
  expect(prioritySpread).toBeLessThan(TRACK.healthyHolder);
});

const health = fc.record<TrackHealth>({
  kind: fc.constantFrom('api', 'ingress'),
  service: fc.constantFrom('ok', 'doubtful', 'failed', 'unknown'),
  failedForMs: fc.nat(5_000),
  localApiServes: fc.boolean(),
  holder: fc.boolean(),
  everyoneFailing: fc.boolean(),
  order: fc.constantFrom('none', 'drain', 'demote', 'promote'),
  priority: fc.option(fc.integer({ min: 1, max: 254 }), { nil: undefined }),
});

test('the terms add up to the priority that keepalived computes', () => {
  fc.assert(
    fc.property(health, fc.integer({ min: 1, max: 254 }), (seen, own) => {
      const { priorityTerms, priority } = prioritySum({ points: own, why: 'place' }, trackAddends(seen));
      const value = pointsOf(trackAddends(seen));
      const effective = value <= TRACK.fault ? 0 : Math.min(254, Math.max(1, own + value));
      expect(priority).toBe(effective);
      expect(priorityTerms.reduce((sum, { points }) => sum + points, 0)).toBe(priority);
      expect(priorityTerms[0]?.points).toBe(own);
      expect(priorityTerms.every(({ why }) => why !== '')).toBe(true);
    }),
  );
});

test('the place in the list is one more than the number of higher priorities', () => {
  expect(baseAddend(210, [220, 200])).toEqual({ points: 210, why: 'place 2 of 3 in the list' });
  expect(baseAddend(220, []).why).toBe('place 1 of 1 in the list');
});

test('a promoted holder has the highest priority of keepalived', () => {
  const holder = [
    { points: 0, why: 'serves' },
    { points: 30, why: 'holds' },
  ];
  expect(prioritySum({ points: 254, why: 'claims' }, holder)).toEqual({
    priority: 254,
    priorityTerms: [
      { points: 254, why: 'claims' },
      ...holder,
      { points: -30, why: 'keepalived counts from 1 to 254' },
    ],
  });
});
