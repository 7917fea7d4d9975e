import { expect, test } from 'vitest';
import type { ApiSession } from '../../../../../src/engine/kube/api-session.ts';
import { type Observation, openSource } from '../../../../../src/engine/kube/control-plane/source.ts';
import { parseServers } from '../../../../../src/engine/kube/control-plane/static-servers.ts';
import { ConfigError } from '../../../../../src/engine/system/errors.ts';

const noSession: ApiSession = {
  firstAnswer: () => Promise.reject(new Error('it was asked')),
  whileGood: () => {
    throw new Error('it was asked');
  },
  remember: () => undefined,
};

test('IPv4 and IPv6, with and without a port, are sorted by name', () => {
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

test('all problems are reported together', () => {
  expect.assertions(2);
  try {
    parseServers('a,b=x,c=10.0.0.1:0', 6443);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) expect(error.problems).toHaveLength(3);
  }
});

test('each reader observes the list once, and the source ends when it is stopped', async () => {
  const stop = new AbortController();
  const settings = {
    source: 'static',
    servers: 'b=10.0.0.2,a=10.0.0.1',
    apiPort: 6443,
    checkInterval: 1,
  } as const;
  const source = openSource(settings, { session: noSession, report: () => undefined });
  const seen: Observation[] = [];
  const observe = (observation: Observation) => void seen.push(observation);
  const ended = source(
    [
      { vips: [], observe },
      { vips: [], observe },
    ],
    stop.signal,
  );
  const servers = parseServers(settings.servers, 6443);
  const observation = { kind: 'servers', via: 'poll', servers, skipped: [], from: '--servers' };
  expect(seen).toEqual([observation, observation]);
  stop.abort();
  await ended;
});

test('a static source without servers is a configuration error', () => {
  expect(() => parseServers(undefined, 6443)).toThrow(/Cannot use --source static without --servers/);
});
