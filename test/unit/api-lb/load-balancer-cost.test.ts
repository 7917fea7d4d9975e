import { expect, test } from 'vitest';
import { type LoadBalancerChange, loadBalancerEffects } from '../../../src/api-lb/load-balancer-cost.ts';
import type { LoadBalancerFacts } from '../../../src/haproxy/load-balancer-facts.ts';

const facts: LoadBalancerFacts = {
  listeners: [
    { proxy: 'frontend main', address: ':::9445' },
    { proxy: 'listen stats', address: '127.0.0.1:29445' },
  ],
  servers: ['cp-1 10.0.0.1:6443', 'cp-2 10.0.0.2:6443'],
};

interface Given extends Partial<Omit<LoadBalancerChange, 'restarts' | 'vipPort'>> {
  readonly after?: LoadBalancerFacts;
  readonly restarts?: readonly string[];
  readonly vipPort?: number;
}

/** Of a node that holds the VIP, on which nothing changes but what is given. */
function effectsOf({ after, restarts = [], vipPort = 6443, ...given }: Given) {
  return loadBalancerEffects({
    configuration: {
      before: facts,
      after: after ?? facts,
      takes: after === undefined ? undefined : 'reload',
    },
    restarts: new Set(restarts),
    vipPort: { before: 6443, after: vipPort },
    ...{ heldVips: ['10.0.0.100'], sessions: 214, forceDeleteTimeoutMs: 120_000, drainTimeoutMs: 55_000 },
    ...given,
  });
}

test('what changes nothing has no effect', () => {
  expect(effectsOf({})).toEqual([]);
});

test('another list of servers is a reload, after which connections have the time of a replaced generation', () => {
  const servers = ['cp-1 10.0.0.1:6443', 'cp-4 10.0.0.4:6443'];
  expect(effectsOf({ after: { ...facts, servers } })).toEqual([
    {
      kind: 'haproxy-reload',
      level: 'reload',
      says: 'HAProxy reloads: no connection is refused, and open ones may last for 2 min',
      connections: { endedWithinMs: 120_000 },
    },
    {
      kind: 'servers',
      level: 'reload',
      says: 'servers added: cp-4 10.0.0.4:6443; servers removed: cp-2 10.0.0.2:6443',
    },
  ]);
});

test('where HAProxy is told of other servers while it runs, nothing is reloaded', () => {
  const servers = [...facts.servers, 'cp-4 10.0.0.4:6443'];
  const configuration = { before: facts, after: { ...facts, servers }, takes: 'change' as const };
  expect(effectsOf({ configuration })).toMatchObject([
    { kind: 'haproxy-change', level: 'nothing' },
    { kind: 'servers', level: 'nothing', says: 'servers added: cp-4 10.0.0.4:6443' },
  ]);
});

test.each([
  [':::9445', 'interruption'],
  ['127.0.0.1:29445', 'reload'],
])('without a listener at %s it is an %s', (address, level) => {
  const listeners = facts.listeners.filter((each) => each.address !== address);
  expect(effectsOf({ after: { ...facts, listeners } })).toContainEqual(
    expect.objectContaining({ kind: 'port-closed', level, subject: expect.stringContaining(address) }),
  );
});

test.each([
  [214, 'interruption'],
  [0, 'restart'],
  [undefined, 'interruption'],
])(
  'the end of its container is no reload: %s connections have the drain timeout, it is an %s',
  (sessions, level) => {
    expect(effectsOf({ restarts: ['haproxy'], after: facts, sessions })).toEqual([
      expect.objectContaining({
        ...{ kind: 'load-balancer-away', level, connections: { endedWithinMs: 55_000 } },
      }),
    ]);
  },
);

test('another port of the API leaves the one that clients of the VIP use, where the VIP is', () => {
  expect(effectsOf({ vipPort: 7443 })).toEqual([
    expect.objectContaining({
      ...{ kind: 'port-closed', level: 'interruption', subject: '10.0.0.100:6443 (the VIP)' },
    }),
  ]);
  expect(effectsOf({ vipPort: 7443, heldVips: [] })).toEqual([]);
});

test('a restarted monitor takes the redirect of a holder with it', () => {
  const heldVips = ['10.0.0.100', 'fd00::100'];
  expect(effectsOf({ restarts: ['haproxy-monitor'], heldVips })).toEqual([
    expect.objectContaining({
      ...{ kind: 'redirect-away', level: 'restart', subject: '10.0.0.100, fd00::100' },
    }),
  ]);
  expect(effectsOf({ restarts: ['haproxy-monitor'], heldVips: [] })).toEqual([]);
});
