import { expect, test } from 'vitest';
import { checkAddress } from '../../../src/router/safe-address.ts';

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['203.0.113.9', '203.0.113.9'],
  ['FD00:0:0::1', 'fd00::1'],
  ['2001:db8::1', '2001:db8::1'],
])('an endpoint may be at %s', (text, address) => {
  expect(checkAddress(text)).toEqual({ kind: 'usable', address });
});

test.each([
  ['127.0.0.1', 'a loopback address'],
  ['127.9.9.9', 'a loopback address'],
  ['::1', 'a loopback address'],
  ['169.254.1.1', 'a link-local address'],
  ['fe80::1', 'a link-local address'],
  ['169.254.169.254', 'a metadata service'],
  ['168.63.129.16', 'a metadata service'],
  ['fd00:ec2::254', 'a metadata service'],
  ['fd00:0ec2:0::0254', 'a metadata service'],
  ['100.100.100.200', 'a metadata service'],
  ['192.0.0.192', 'a metadata service'],
  ['fd20:ce::254', 'a metadata service'],
  ['fd00:42::42', 'a metadata service'],
  ['fd00:c1::a9fe:a9fe', 'a metadata service'],
  ['240.0.0.1', 'a reserved address'],
  ['255.255.255.254', 'a reserved address'],
  ['224.0.0.1', 'a multicast address'],
  ['ff02::1', 'a multicast address'],
  ['0.0.0.0', 'the unspecified address'],
  ['::', 'the unspecified address'],
  ['255.255.255.255', 'the broadcast address'],
  ['::ffff:127.0.0.1', 'IPv4 in IPv6'],
  ['::ffff:a9fe:a9fe', 'IPv4 in IPv6'],
  ['::127.0.0.1', 'IPv4 in IPv6'],
  ['64:ff9b::7f00:1', 'IPv4 in IPv6'],
  ['2002:7f00:1::', 'IPv4 in IPv6'],
  ['localhost', 'not an IP address'],
  ['010.0.0.1', 'not an IP address'],
  ['127.1', 'not an IP address'],
  ['10.0.0.1\n  server x', 'not an IP address'],
])('an endpoint may not be at %j: %s', (text, reason) => {
  expect(checkAddress(text)).toEqual({ kind: 'unsafe', reason });
});

test.each([
  ['10.0.0.7', ['10.0.0.0/24'], 'unsafe'],
  ['10.0.1.7', ['10.0.0.0/24'], 'usable'],
  ['10.0.1.7', ['192.0.2.0/24', '10.0.1.7/32'], 'unsafe'],
  ['FD00::7', ['fd00::/64'], 'unsafe'],
  ['fd01::7', ['fd00::/64', '10.0.0.0/8'], 'usable'],
])('%s with the denied networks %j is %s', (text, networks, kind) => {
  expect(checkAddress(text, networks).kind).toBe(kind);
});
