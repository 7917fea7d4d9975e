import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpointOf } from '../../../../../src/engine/kube/api-server.ts';
import {
  chooseServers,
  type ServerCandidate,
} from '../../../../../src/engine/kube/control-plane/choose-servers.ts';
import { safeServerName } from '../../../../../src/engine/kube/control-plane/server-name.ts';
import { anyText } from '../../../../helpers/any-text.ts';

const lan = { vips: ['10.0.0.100'], subnets: ['10.0.0.0/24'] };
const cp = (name: string, address: string, port = 6443): ServerCandidate => ({
  name,
  addresses: [address],
  port,
});

test('an unusable server is skipped with a reason and affects no other', () => {
  const choice = chooseServers(
    [
      cp('b', '10.0.0.2'),
      cp('a', '10.0.0.1'),
      cp('', '10.0.0.3'),
      cp('v', '10.0.0.100'),
      cp('p', '10.0.0.4', 0),
    ],
    lan,
  );
  expect(choice.servers.map((server) => server.name)).toEqual(['a', 'b']);
  expect(choice.skipped.map((skipped) => skipped.name)).toEqual(['(empty)', 'p', 'v']);
});

test('of two nodes with the same address, the first name wins', () => {
  const choice = chooseServers([cp('b', '10.0.0.1'), cp('a', '10.0.0.1')], lan);
  expect(choice.servers).toEqual([{ name: 'a', address: '10.0.0.1', port: 6443 }]);
  expect(choice.skipped).toEqual([{ name: 'b', reason: '"a" already has 10.0.0.1:6443' }]);
});

test('two nodes with the same name get different names', () => {
  const names = chooseServers([cp('a', '10.0.0.2'), cp('a', '10.0.0.1')], lan).servers;
  expect(names.find((server) => server.address === '10.0.0.1')?.name).toBe('a');
  expect(names.find((server) => server.address === '10.0.0.2')?.name).toMatch(/^a-[0-9a-f]{8}$/);
});

test('property: names and endpoints are unique, safe, and independent of the order', () => {
  const candidate = fc.record({
    name: fc.oneof(fc.constantFrom('a', 'b', 'a b', 'a\nb'), anyText()),
    addresses: fc.array(fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.100', 'x'), {
      maxLength: 3,
    }),
    port: fc.constantFrom(6443, 7443, 0),
  });
  fc.assert(
    fc.property(fc.array(candidate), (candidates) => {
      const { servers, skipped } = chooseServers(candidates, lan);
      expect(new Set(servers.map((server) => server.name)).size).toBe(servers.length);
      expect(new Set(servers.map(endpointOf)).size).toBe(servers.length);
      expect(servers.length + skipped.length).toBe(candidates.length);
      for (const server of servers) expect(server.name).toMatch(/^[A-Za-z0-9._:-]{1,253}$/);
      expect(chooseServers(candidates.toReversed(), lan).servers).toEqual(servers);
    }),
  );
});

test.each(['cp-1', 'node.example.com', 'fd00::1', 'A_b'])('the name %s is unchanged', (name) => {
  expect(safeServerName(name)).toBe(name);
});

test.each([
  'a\nserver evil 6.6.6.6:1',
  'a\0b',
  '"a"',
  "a'b",
  'a b',
  'a#b',
  '\u2028',
  'é',
  '\ud800',
  'x'.repeat(1_000_000),
])('the hostile name %.20j becomes one safe word', (name) => {
  expect(safeServerName(name)).toMatch(/^[A-Za-z0-9._:-]{1,244}-[0-9a-f]{8}$/);
});

test('names that look the same after cleaning remain different, and equal names remain equal', () => {
  expect(safeServerName('a b')).not.toBe(safeServerName('a\tb'));
  expect(safeServerName('a b')).toBe('a_b-10a3f9f2');
  expect(safeServerName('')).toBeUndefined();
});
