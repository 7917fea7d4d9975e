import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Observation } from '../../../../../src/engine/kube/control-plane/source.ts';
import {
  createStaticSource,
  parseServers,
} from '../../../../../src/engine/kube/control-plane/static-servers.ts';
import { ConfigError } from '../../../../../src/engine/system/errors.ts';

test('IPv4 and IPv6, with and without a port, sorted by name', () => {
  expect(parseServers('c=10.0.0.3, b=[FD00::2]:7443,a=10.0.0.1:8443,d=fd00::4,e=[fd00::5]', 6443)).toEqual([
    { name: 'a', address: '10.0.0.1', port: 8443 },
    { name: 'b', address: 'fd00::2', port: 7443 },
    { name: 'c', address: '10.0.0.3', port: 6443 },
    { name: 'd', address: 'fd00::4', port: 6443 },
    { name: 'e', address: 'fd00::5', port: 6443 },
  ]);
});

test.each([
  ['', /"": it has no "="/],
  ['a', /"a": it has no "="/],
  ['=10.0.0.1', /its name is ""/],
  ['a b=10.0.0.1', /its name is "a b"/],
  ['a\nb=10.0.0.1', /its name is "a\\nb"/],
  ['a=', /its address is ""/],
  ['a=host.example', /its address is "host.example"/],
  ['a=10.0.0', /its address is "10.0.0"/],
  ['a=10.0.0.1:', /its address is "10.0.0.1:"/],
  ['a=10.0.0.1:x', /its address is/],
  ['a=10.0.0.1:0', /its port is "0", expected 1 to 65535/],
  ['a=10.0.0.1:65536', /its port is "65536"/],
  ['a=[10.0.0.1]:1', /its address is/],
  ['a=[fd00::1', /its address is/],
  ['a=fe80::1%eth0', /its address is/],
  ['a=10.0.0.1:1=2', /its address is/],
  ['a=10.0.0.1,a=10.0.0.2', /name "a" twice/],
  ['a=10.0.0.1,b=10.0.0.1:6443', /address "10.0.0.1:6443" twice/],
])('%j is refused', (text, message) => {
  expect(() => parseServers(text, 6443)).toThrow(message);
});

test('every problem is told at once', () => {
  expect.assertions(2);
  try {
    parseServers('a,b=x,c=10.0.0.1:0', 6443);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) expect(error.problems).toHaveLength(3);
  }
});

test('the list is observed once, and the iteration ends when it is stopped', async () => {
  const stop = new AbortController();
  const servers = parseServers('b=10.0.0.2,a=10.0.0.1', 6443);
  const seen: Observation[] = [];
  for await (const observation of createStaticSource(servers).observe(stop.signal)) {
    seen.push(observation);
    queueMicrotask(() => stop.abort());
  }
  expect(seen).toEqual([{ kind: 'servers', via: 'poll', servers, skipped: [], from: '--servers' }]);
  expect(await Readable.from(createStaticSource(servers).observe(stop.signal)).toArray()).toEqual([]);
});
