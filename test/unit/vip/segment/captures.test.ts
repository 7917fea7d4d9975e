import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addressNumber,
  addressOfNumber,
  parseAddress,
} from '../../../../src/engine/system/network/node-address.ts';
import { elementsOf } from '../../../../src/engine/system/nft/nft.ts';
import { parseCapture, parseForeign } from '../../../../src/vip/segment/segment-capture.ts';

/** The output of nft 1.0.6 without chains and rules. */
const listing = (...sets: readonly string[]) =>
  `{"nftables": [{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}}, {"table": {"family": "netdev", "name": "t", "handle": 1}}, ${sets.join(', ')}]}`;

test('adverts of both versions and families are read from the sets', () => {
  const json = listing(
    '{"set": {"family": "netdev", "name": "heard0", "table": "t", "type": ["ipv4_addr", "integer", "integer"], "handle": 2, "size": 64, "elem": [{"concat": ["10.77.0.12", 2182550, 172818682]}, {"concat": ["10.77.0.12", 3230977, 172818682]}, {"concat": ["10.77.0.13", 3234760, 172818682]}]}}',
    '{"set": {"family": "netdev", "name": "heard1", "table": "t", "type": ["ipv6_addr", "integer", "integer"], "handle": 3, "size": 64, "elem": [{"concat": ["fe80::38b8:c6ff:fef5:3940", 3231383, "0xfe800000000000000000000000000250"]}]}}',
  );
  const on = { interface: 'eth0', sourceAddress: '10.77.0.11' };
  const watched = [
    { ...on, virtualRouterId: 77, family: 'ipv4', vip: '10.77.0.100' },
    { ...on, virtualRouterId: 78, family: 'ipv6', vip: 'fd77::100' },
  ] as const;
  const four = { family: 'ipv4', source: '10.77.0.12', virtualRouterId: 77, vip: '10.77.0.250' };
  expect(parseForeign(json, watched)).toEqual([
    { ...four, version: 2, priority: 150 },
    { ...four, version: 3, priority: 1 },
    // An advert with a foreign id is recorded only if it contains our VIP.
    {
      ...four,
      source: '10.77.0.13',
      virtualRouterId: 91,
      version: 3,
      priority: 200,
      vip: '10.77.0.100',
    },
    {
      family: 'ipv6',
      source: 'fe80::38b8:c6ff:fef5:3940',
      virtualRouterId: 78,
      version: 3,
      priority: 151,
      vip: 'fe80::250',
    },
  ]);
});

test('answers are read with the probed address and the MAC that answered', () => {
  const json = listing(
    '{"set": {"family": "netdev", "name": "answers_ipv4", "table": "t", "type": ["ipv4_addr", "ether_addr"], "handle": 1, "size": 256, "elem": [{"concat": ["10.77.0.100", "3a:b8:c6:f5:39:40"]}]}}',
    '{"set": {"family": "netdev", "name": "answers_ipv6", "table": "t", "type": ["ipv6_addr", "ether_addr"], "handle": 2, "size": 256, "elem": [{"concat": ["fd77::100", "3a:b8:c6:f5:39:40"]}]}}',
  );
  expect(parseCapture(json, { routerIds: [] }).answers).toEqual([
    { address: '10.77.0.100', mac: '3a:b8:c6:f5:39:40' },
    { address: 'fd77::100', mac: '3a:b8:c6:f5:39:40' },
  ]);
});

test.each([
  ['an empty set', listing('{"set": {"name": "ipv4"}}')],
  ['no JSON', 'Error: No such file or directory'],
  ['something else', '[]'],
])('nothing is read from %s', (_what, json) => {
  expect(elementsOf(json, 'ipv4')).toEqual([]);
});

test('property: an address survives conversion to a number and back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      fc.pre(address !== undefined);
      if (address === undefined) return;
      expect(addressOfNumber(BigInt(addressNumber(address.text)), address.family)).toBe(address.text);
    }),
  );
});
