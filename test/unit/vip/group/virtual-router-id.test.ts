import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualRouterIdProblem, virtualRouterIds } from '../../../../src/vip/group/virtual-router-id.ts';

test('match the shell pods, so that a cluster can be migrated node by node', () => {
  // A published keepalived.conf of an OpenShift 4.8 cluster called "managed".
  expect(virtualRouterIds('managed')).toEqual({ api: 124, ingress: 75 });
});

test('are Fletcher-8 checksums', () => {
  // Calculated by hand for "a-api": 97 % 15 = 7, +45 = 7, +97 = 14, +112 = 6, +105 = 6; the sums of these: 7 14 13 4 10.
  expect(virtualRouterIds('a').api).toBe(((10 << 4) | 6) + 1);
});

test('property: are always two different valid ids', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      expect(virtualRouterIdProblem(virtualRouterIds(name))).toBeUndefined();
    }),
  );
});

test.each([
  [{ api: 0, ingress: 1 }, /invalid virtual router id "0"/],
  [{ api: 1, ingress: 256 }, /invalid virtual router id "256"/],
  [{ api: 1.5, ingress: 2 }, /invalid virtual router id "1.5"/],
  [{ api: 7, ingress: 7 }, /virtual router id "7" is used twice/],
])('%j is refused', (ids, message) => {
  expect(virtualRouterIdProblem(ids)).toMatch(message);
});
