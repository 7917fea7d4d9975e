import { expect, test } from 'vitest';
import { nearestName } from '../../../src/cli/nearest-name.ts';

const names = ['drainTimeout', 'apiVips', 'ingressVips', 'lbPort', 'nodeIp', 'nodeName'];

test.each([
  ['drainTimeot', 'drainTimeout'],
  ['drain_timeout', 'drainTimeout'],
  ['apiVip', 'apiVips'],
  ['LBPORT', 'lbPort'],
  ['nodeIP', 'nodeIp'],
  ['bogus', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('for %s the suggestion is %s', (typed, expected) => {
  expect(nearestName(typed, names)).toBe(expected);
});
