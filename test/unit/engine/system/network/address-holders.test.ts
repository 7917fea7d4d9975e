import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { holdersAmong } from '../../../../../src/engine/system/network/address-holders.ts';

const vip = '10.0.0.100';
const nodes = [{ name: 'cp-2', address: '10.0.0.12' }];
const known = [
  { address: '10.0.0.12', mac: '02:00:00:00:00:12' },
  { address: vip, mac: '02:00:00:00:00:13' },
];

test('a holder is the node whose address has its MAC, or else unknown', () => {
  const answers = ['02:00:00:00:00:12', '02:00:00:00:00:99'].map((mac) => ({ address: vip, mac }));
  expect(holdersAmong(answers, known, nodes)(vip)).toEqual([
    { mac: '02:00:00:00:00:12', node: nodes[0] },
    { mac: '02:00:00:00:00:99', node: undefined },
  ]);
});

test('a host that answers twice is one holder, and does not hold another address', () => {
  const answers = [vip, vip, '10.0.0.101'].map((address) => ({ address, mac: '02:00:00:00:00:99' }));
  expect(holdersAmong(answers)(vip)).toHaveLength(1);
  expect(holdersAmong(answers)('10.0.0.102')).toEqual([]);
});

test("this machine's own answers are omitted", () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const answers = own.map(({ mac }) => ({ address: vip, mac }));
  expect(answers).not.toEqual([]);
  expect(holdersAmong(answers)(vip)).toEqual([]);
});
