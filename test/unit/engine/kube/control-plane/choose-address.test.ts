import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseAddress } from '../../../../../src/engine/kube/control-plane/choose-address.ts';
import { parseAddress } from '../../../../../src/engine/system/network/node-address.ts';

const none = { kind: 'none' };
const chosen = (address: string) => ({ kind: 'chosen', address });
const lan = { vips: ['10.0.0.100'], subnets: ['10.0.0.0/24', '192.168.7.0/24', 'fd00:1::/64'] };

test("an address in the VIP's own subnet is preferred, whatever the order", () => {
  expect(chooseAddress(['192.168.7.4', '10.0.0.4'], lan)).toEqual(chosen('10.0.0.4'));
});

test('outside the subnet the first address of the family is chosen', () => {
  expect(chooseAddress(['fd00:1::4', '172.16.0.4', '192.168.7.4'], lan)).toEqual(chosen('172.16.0.4'));
});

test('without subnets the first address of the family is chosen', () => {
  expect(chooseAddress(['172.16.0.4'], { vips: lan.vips, subnets: [] })).toEqual(chosen('172.16.0.4'));
});

test('a VIP is never chosen, however it is written', () => {
  const vips = ['10.0.0.100', 'fd00:1::100'];
  expect(chooseAddress(['10.0.0.100', '10.0.0.4'], { ...lan, vips })).toEqual(chosen('10.0.0.4'));
  expect(chooseAddress(['FD00:1:0:0::0100'], { ...lan, vips })).toMatchObject(none);
});

test("with several VIPs the first one's family is preferred, and the others are fallbacks", () => {
  const vips = ['fd00:1::100', '10.0.0.100'];
  expect(chooseAddress(['10.0.0.4', 'fd00:9::4', 'fd00:1::4'], { ...lan, vips })).toEqual(
    chosen('fd00:1::4'),
  );
  expect(chooseAddress(['192.168.7.4', '10.0.0.4'], { ...lan, vips })).toEqual(chosen('10.0.0.4'));
  expect(chooseAddress(['10.0.0.4'], { ...lan, vips: ['fd00:1::100'] })).toMatchObject(none);
});

test('the chosen address is canonical', () => {
  const v6 = { vips: ['fd00:1::100'], subnets: [] };
  expect(chooseAddress(['FD00:0001:0:0:0:0:0:4'], v6)).toEqual(chosen('fd00:1::4'));
});

describe('never chosen', () => {
  test.each([
    ...[
      '127.0.0.1',
      '0.0.0.0',
      '169.254.1.1',
      '224.0.0.5',
      '255.255.255.255',
      '127.1',
      '010.0.0.4',
      '10.0.0.4%eth0',
    ],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::4%eth0', 'ff02::1', '::ffff:10.0.0.4', '::10.0.0.4'],
    ...[
      '',
      'cp-1',
      '10.0.0.4\n',
      '10.0.0.4 weight 256',
      '10.0.0.4:6443',
      '[fd00::4]',
      '10.0.0.4/24',
      '0x0a.0.0.4',
    ],
    ...['1.2.3', `${'1'.repeat(1_000_000)}`, '\0'],
  ])('the invalid address %j is ignored', (address) => {
    const both = { vips: ['10.0.0.100', 'fd00::100'], subnets: ['0.0.0.0/0', '::/0'] };
    expect(chooseAddress([address], both)).toMatchObject(none);
  });
});

test('the reason lists the addresses', () => {
  expect(chooseAddress([], lan)).toEqual({ kind: 'none', reason: 'it has no internal address' });
  expect(chooseAddress(['::1', 'x\ny'], lan)).toMatchObject({
    reason: expect.stringContaining(String.raw`"::1", "x\ny" is a usable ipv4 address`),
  });
});

test('invalid subnets and VIPs are ignored', () => {
  const broken = {
    vips: ['', 'vip', '10.0.0.100'],
    subnets: ['', '10.0.0.0/33', 'x'.repeat(100), '10.0.0.0/24'],
  };
  expect(chooseAddress(['192.168.7.4', '10.0.0.4'], broken)).toEqual(chosen('10.0.0.4'));
});

test('property: a chosen address is canonical, of an allowed family and no VIP', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string());
  fc.assert(
    fc.property(fc.array(address), fc.array(address), fc.array(fc.string()), (addresses, vips, subnets) => {
      const choice = chooseAddress(addresses, { vips, subnets });
      if (choice.kind === 'none') return;
      expect(parseAddress(choice.address)?.text).toBe(choice.address);
      expect(vips.map((vip) => parseAddress(vip)?.text)).not.toContain(choice.address);
      expect(addresses.map((item) => parseAddress(item)?.text)).toContain(choice.address);
    }),
  );
});
