import { expect, test } from 'vitest';
import {
  findAddress,
  parseFound,
  presentAddresses,
} from '../../../../../src/engine/system/network/interface-addresses.ts';

test('the loopback address is present, and found where it is', async () => {
  expect(presentAddresses().has('127.0.0.1')).toBe(true);
  expect(await findAddress('127.0.0.1')).toEqual([{ interface: 'lo', cidr: '127.0.0.1/8' }]);
});

test('an address that is nowhere is found nowhere', async () => {
  expect(presentAddresses().has('192.0.2.77')).toBe(false);
  expect(await findAddress('192.0.2.77')).toEqual([]);
});

test.each(['', '[]', '[{},{"ifname":"eth0"}]', '{}'])('nothing in %j', (json) => {
  expect(parseFound(json)).toEqual([]);
});
