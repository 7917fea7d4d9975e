import { expect, test } from 'vitest';
import {
  findAddress,
  parseFound,
  presentAddresses,
} from '../../../../../src/engine/system/network/interface-addresses.ts';

test('the loopback address is present, and is found on its interface', async () => {
  expect(presentAddresses().has('127.0.0.1')).toBe(true);
  expect(await findAddress('127.0.0.1')).toEqual([{ interface: 'lo', cidr: '127.0.0.1/8' }]);
});

test('an address that no interface has is not found', async () => {
  expect(presentAddresses().has('192.0.2.77')).toBe(false);
  expect(await findAddress('192.0.2.77')).toEqual([]);
});

test('an address is found although ip prints empty objects for the others', () => {
  const json = '[{},{"ifname":"eth0","addr_info":[{},{"local":"10.0.0.5","prefixlen":32},{}]}]';
  expect(parseFound(json)).toEqual([{ interface: 'eth0', cidr: '10.0.0.5/32' }]);
});

test.each(['', '[]', '[{},{"ifname":"eth0"}]', '{}'])('%j has no addresses', (json) => {
  expect(parseFound(json)).toEqual([]);
});
