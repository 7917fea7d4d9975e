import { describe, expect, test } from 'vitest';
import type { NetworkInterface } from '../../../../src/engine/system/network/routes.ts';
import { chooseVipInterface } from '../../../../src/vip/group/vip-interface.ts';

const eth0: NetworkInterface = { name: 'eth0', addresses: ['10.0.0.11/24', 'fd00::b/64', 'fe80::1/64'] };
const eth1: NetworkInterface = { name: 'eth1', addresses: ['10.1.0.11/16'] };
const both = [eth0, eth1];

const chosen = (name: string) => ({ kind: 'chosen', name });

test('the interface whose subnet contains the VIP is chosen', () => {
  expect(chooseVipInterface('10.1.7.5', both, [])).toEqual(chosen('eth1'));
  expect(chooseVipInterface('fd00::5', both, [])).toEqual(chosen('eth0'));
});

test('a VIP that an earlier run left behind does not determine the interface', () => {
  const left = [eth0, { name: 'eth1', addresses: ['10.0.0.5/32', 'fd00::5/128'] }];
  expect(chooseVipInterface('10.0.0.5', left, [])).toEqual(chosen('eth0'));
  expect(chooseVipInterface('fd00::5', left, [])).toEqual(chosen('eth0'));
  expect(chooseVipInterface('10.0.0.5', left.slice(1), []).kind).toBe('none');
});

describe('without such a subnet', () => {
  const routes = [
    { destination: '0.0.0.0/0', interface: 'eth0' },
    { destination: '172.16.0.0/12', interface: 'eth0' },
    { destination: '172.16.9.0/24', interface: 'eth1' },
    { destination: 'fd01::/64', interface: 'eth1' },
  ];

  test('the interface of the most specific route is chosen', () => {
    expect(chooseVipInterface('172.16.9.5', both, routes)).toEqual(chosen('eth1'));
    expect(chooseVipInterface('172.16.8.5', both, routes)).toEqual(chosen('eth0'));
    expect(chooseVipInterface('fd01::5', both, routes)).toEqual(chosen('eth1'));
  });

  test('the default route does not count, and the reason lists the interfaces', () => {
    expect(chooseVipInterface('203.0.113.5', both, routes)).toEqual({
      kind: 'none',
      reason: expect.stringMatching(
        /VIP "203\.0\.113\.5": no interface .* eth0 \(10\.0\.0\.11\/24 .*\), eth1 \(10\.1\.0\.11\/16\); --interface/,
      ),
    });
  });

  test('a route of a missing interface does not count', () => {
    expect(chooseVipInterface('172.16.9.5', [eth0], routes).kind).toBe('none');
  });
});

test('if several interfaces fit, none is chosen and the reason names them', () => {
  const twin = { name: 'eth9', addresses: ['10.0.0.99/24'] };
  expect(chooseVipInterface('10.0.0.5', [eth0, twin], [])).toEqual({
    kind: 'none',
    reason: expect.stringContaining('several interfaces (eth0, eth9) fit'),
  });
});

test('a configured interface only needs to exist', () => {
  expect(chooseVipInterface('10.0.0.5', both, [], 'eth1')).toEqual(chosen('eth1'));
  expect(chooseVipInterface('10.0.0.5', both, [], 'bond0')).toEqual({
    kind: 'none',
    reason: expect.stringContaining('no interface "bond0", expected one of eth0'),
  });
});

test('the reason reports that there is no interface at all', () => {
  expect(chooseVipInterface('10.0.0.5', [], [])).toMatchObject({
    reason: expect.stringContaining('one of none'),
  });
});
