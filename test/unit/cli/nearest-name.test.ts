import { expect, test } from 'vitest';
import { nearestName } from '../../../src/cli/nearest-name.ts';

const names = ['advertInterval', 'apiVips', 'ingressVips', 'lbPort', 'nodeIp', 'nodeName'];

test.each([
  ['adverInterval', 'advertInterval'],
  ['advert_interval', 'advertInterval'],
  ['apiVip', 'apiVips'],
  ['LBPORT', 'lbPort'],
  ['nodeIP', 'nodeIp'],
  ['bogus', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s was meant to be %s', (typed, expected) => {
  expect(nearestName(typed, names)).toBe(expected);
});
