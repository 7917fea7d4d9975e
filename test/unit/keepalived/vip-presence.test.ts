import { expect, test } from 'vitest';
import { disagreements, type InstanceState, type VrrpState } from '../../../src/keepalived/vip-presence.ts';

const vip = { address: '10.0.0.5', prefixLength: 32, interface: 'eth0' };
const watched = [{ name: 'API', virtualRouterId: 77, peers: [], vips: [vip], masterDownMs: 600 }];
const now = 10_000;
const since = (state: VrrpState, ageMs = 1_000): readonly InstanceState[] => [
  { name: 'API', state, priority: 220, since: now - ageMs },
];
const here = new Set([vip.address, '10.0.0.11']);
const away = new Set(['10.0.0.11']);

test.each([
  ['MASTER', away, 'missing'],
  ['BACKUP', here, 'stray'],
  ['FAULT', here, 'stray'],
  ['STOP', here, 'stray'],
] as const)('%s disagrees', (state, present, kind) => {
  expect(disagreements(watched, since(state), present, now)).toEqual([{ kind, instance: 'API', state, vip }]);
});

test.each([
  ['MASTER', here],
  ['BACKUP', away],
  ['UNKNOWN', here],
  ['UNKNOWN', away],
] as const)('%s agrees, or nothing is known', (state, present) => {
  expect(disagreements(watched, since(state), present, now)).toEqual([]);
});

test('an instance that has just changed is ignored', () => {
  expect(disagreements(watched, since('MASTER', 249), away, now)).toEqual([]);
  expect(disagreements(watched, since('MASTER', 250), away, now)).toHaveLength(1);
});

test('an instance that never reported a state is ignored', () => {
  expect(disagreements(watched, [], here, now)).toEqual([]);
});
