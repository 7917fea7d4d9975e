import { expect, test } from 'vitest';
import { TRACK } from '../../../src/model/track-value.ts';
import {
  bootstrapVrrpPriority,
  maxGroupSize,
  prioritySpread,
  vrrpPriority,
} from '../../../src/model/vrrp-priority.ts';

const prioritiesOf = (size: number) => Array.from({ length: size }, (_, index) => vrrpPriority(index, size));
const sizes = Array.from({ length: maxGroupSize }, (_, index) => index + 1);

test('fall with the place in the list', () => {
  expect(prioritiesOf(1)).toEqual([220]);
  expect(prioritiesOf(3)).toEqual([220, 210, 200]);
  expect(prioritiesOf(5)).toEqual([220, 213, 206, 199, 192]);
});

test('are different on every node and ones that keepalived takes, however large the group', () => {
  for (const size of sizes) {
    const priorities = prioritiesOf(size);
    expect(new Set(priorities).size).toBe(size);
    expect(Math.min(...priorities)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...priorities)).toBeLessThanOrEqual(254);
  }
});

test('let the last of 29 nodes keep the VIP when the first one comes back', () => {
  for (const size of sizes.filter((each) => each <= 29)) {
    const priorities = prioritiesOf(size);
    expect(Math.max(...priorities) - Math.min(...priorities)).toBeLessThanOrEqual(prioritySpread);
  }
  expect(prioritySpread).toBeLessThan(TRACK.healthyHolder);
});

test('of a bootstrap node outrank the full score of its profile', () => {
  expect(bootstrapVrrpPriority('fast')).toBeGreaterThan(vrrpPriority(0, 3) + TRACK.healthyHolder);
  expect(bootstrapVrrpPriority('fast')).toBeLessThanOrEqual(254);
  expect(bootstrapVrrpPriority('openshift')).toBeGreaterThan(40 + 20 + 5 + 3);
});
