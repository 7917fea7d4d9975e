import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadBalancerFacts } from '../../../../src/haproxy/load-balancer-facts.ts';
import type { VrrpFacts, VrrpInstanceFacts } from '../../../../src/keepalived/vrrp-facts.ts';
import {
  type Container,
  changeCost,
  containers,
  costLevels,
  type ProposedChange,
} from '../../../../src/operate/plan/change-cost.ts';

const haproxy: LoadBalancerFacts = {
  listeners: [
    { proxy: 'frontend main', address: ':::9445' },
    { proxy: 'listen stats', address: '127.0.0.1:29445' },
  ],
  servers: ['cp-1 10.0.0.1:6443', 'cp-2 10.0.0.2:6443'],
};
const api: VrrpInstanceFacts = {
  name: 'API',
  interface: 'eth0',
  virtualRouterId: 77,
  mode: 'unicast',
  peers: ['10.0.0.2', '10.0.0.3'],
  vips: ['10.0.0.100'],
  advertIntervalMs: 100,
  takeOverMs: 600,
};
const vrrp = (...instances: readonly Partial<VrrpInstanceFacts>[]): VrrpFacts => ({
  version: 3,
  instances: instances.map((each) => ({ ...api, ...each })),
});

interface Given {
  readonly haproxy?: LoadBalancerFacts;
  readonly keepalived?: VrrpFacts;
  readonly before?: VrrpFacts;
  readonly restarts?: readonly Container[];
  readonly held?: readonly string[];
  readonly alone?: boolean;
  readonly sessions?: number | undefined;
  readonly healthPort?: number;
  readonly vipPort?: number;
}

/** A node that holds the VIP, on which nothing changes but what is given. */
function change(given: Given): ProposedChange {
  const { before = vrrp({}), keepalived = before, held = ['API'], alone = false } = given;
  return {
    haproxy: { before: haproxy, after: given.haproxy ?? haproxy, isReloaded: given.haproxy !== undefined },
    keepalived: {
      ...{ before, after: keepalived, isReloaded: given.keepalived !== undefined },
      ...{ wasAlone: alone, isAlone: alone },
    },
    restarts: new Set(given.restarts ?? []),
    vipPort: { before: 6443, after: given.vipPort ?? 6443 },
    healthPort: { before: 50_936, after: given.healthPort ?? 50_936 },
    now: {
      sessions: 'sessions' in given ? given.sessions : 214,
      ...{ forceDeleteTimeoutMs: 120_000, drainTimeoutMs: 55_000, monitorTimeoutMs: 3_000 },
      held: new Set(held),
    },
  };
}

const costOf = (given: Given) => changeCost(change(given));
const kinds = (given: Given) => costOf(given).effects.map(({ kind }) => kind);

test('what changes nothing costs nothing, and every connection stays', () => {
  expect(costOf({})).toEqual({
    level: 'nothing',
    effects: [],
    sessions: { now: 214, fate: 'kept', withinMs: undefined },
  });
});

describe('HAProxy', () => {
  test('another list of servers is a reload, after which connections have the time of a replaced generation', () => {
    const after = { ...haproxy, servers: ['cp-1 10.0.0.1:6443', 'cp-4 10.0.0.4:6443'] };
    expect(costOf({ haproxy: after })).toEqual({
      level: 'reload',
      effects: [
        { kind: 'haproxy-reload', endedWithinMs: 120_000 },
        { kind: 'servers', added: ['cp-4 10.0.0.4:6443'], removed: ['cp-2 10.0.0.2:6443'] },
      ],
      sessions: { now: 214, fate: 'drained', withinMs: 120_000 },
    });
  });

  test.each([
    [':::9445', 'interruption'],
    ['127.0.0.1:29445', 'reload'],
  ])('without a listener at %s it is an %s', (address, level) => {
    const listeners = haproxy.listeners.filter((each) => each.address !== address);
    const cost = costOf({ haproxy: { ...haproxy, listeners } });
    expect(cost.level).toBe(level);
    expect(cost.effects).toContainEqual(
      expect.objectContaining({ kind: 'port-closed', where: expect.stringContaining(address) }),
    );
  });

  test('the end of its container is no reload: connections have the drain timeout', () => {
    const given = { restarts: ['haproxy'], held: [] } as const;
    expect(costOf(given)).toMatchObject({
      level: 'interruption',
      effects: [{ kind: 'load-balancer-away', endedWithinMs: 55_000 }],
      sessions: { fate: 'drained', withinMs: 55_000 },
    });
    expect(costOf({ ...given, sessions: 0 }).level).toBe('restart');
    expect(costOf({ ...given, sessions: undefined }).level).toBe('interruption');
  });

  test('another port of the API leaves the one that clients of the VIP use, where the VIP is', () => {
    expect(costOf({ vipPort: 7443 })).toMatchObject({
      level: 'interruption',
      effects: [{ kind: 'port-closed', where: '10.0.0.100:6443 (the VIP)' }],
    });
    expect(kinds({ vipPort: 7443, held: [] })).toEqual([]);
  });

  test('a restarted monitor takes the redirect of a holder with it', () => {
    expect(kinds({ restarts: ['haproxy-monitor'] })).toEqual(['redirect-away']);
    expect(kinds({ restarts: ['haproxy-monitor'], held: [] })).toEqual([]);
  });
});

describe('the VIP', () => {
  test('another peer moves nothing', () => {
    expect(costOf({ keepalived: vrrp({ peers: [...api.peers, '10.0.0.4'] }) })).toMatchObject({
      level: 'reload',
      effects: [{ kind: 'keepalived-reload' }],
      sessions: { fate: 'kept' },
    });
  });

  test('a peer that is left out may take it, where it lives on', () => {
    for (const held of [['API'], []])
      expect(costOf({ keepalived: vrrp({ peers: ['10.0.0.2'] }), held })).toMatchObject({
        level: 'interruption',
        effects: [
          { kind: 'keepalived-reload' },
          { kind: 'peer-left-out', peer: '10.0.0.3', vip: '10.0.0.100' },
        ],
      });
  });

  test.each([
    { restarts: ['keepalived'], because: 'keepalived' },
    { restarts: ['haproxy'], because: 'load-balancer' },
    { restarts: [], healthPort: 9_999, because: 'health-port' },
  ] as const)('moves from a holder: $because', ({ because, ...given }) => {
    const cost = costOf({ ...given, sessions: 0 });
    expect(cost).toMatchObject({ level: 'vip-move', sessions: { fate: 'cut' } });
    expect(cost.effects).toContainEqual({ kind: 'vip-moves', vip: '10.0.0.100', because });
    expect(kinds({ ...given, held: [] })).not.toContain('vip-moves');
  });

  test('of a node that is alone goes away with keepalived, and stays when HAProxy ends', () => {
    const away = { kind: 'vip-interrupted', vip: '10.0.0.100', forMs: 600 };
    expect(costOf({ restarts: ['keepalived'], alone: true }).effects).toContainEqual(away);
    expect(kinds({ restarts: ['haproxy'], alone: true })).toEqual(['load-balancer-away']);
  });

  test('of ingress has nothing to do with HAProxy', () => {
    const before = vrrp({ name: 'INGRESS' });
    const given = { before, held: ['INGRESS'] };
    expect(kinds({ ...given, restarts: ['haproxy', 'haproxy-monitor'] })).toEqual(['load-balancer-away']);
  });

  test('that is another one leaves its clients, and comes up as the new one', () => {
    const keepalived = vrrp({ vips: ['10.0.0.200'] });
    expect(costOf({ keepalived })).toMatchObject({
      level: 'interruption',
      effects: [
        { kind: 'keepalived-reload' },
        { kind: 'vip-leaves', vip: '10.0.0.100', isHeld: true },
        { kind: 'vip-appears', vip: '10.0.0.200' },
      ],
    });
    expect(costOf({ keepalived, held: [] }).level).toBe('reload');
  });

  test.each([
    ['virtual-router-id', vrrp({ virtualRouterId: 78 })],
    ['mode', vrrp({ mode: 'multicast', peers: [] })],
    ['interface', vrrp({ interface: 'eth1' })],
    ['version', { ...vrrp({ name: 'CLUSTER_API' }), version: 2 }],
  ] as const)('is on two nodes after another %s on one of them, holder or not', (difference, keepalived) => {
    const effect = { kind: 'two-holders', vip: '10.0.0.100', because: [difference] };
    for (const held of [['API'], []]) {
      const cost = costOf({ keepalived, held });
      expect(cost.level).toBe('interruption');
      expect(cost.effects).toContainEqual(effect);
    }
  });

  test('of a node that is alone is given up for another mode, and kept for another version', () => {
    const mode = vrrp({ mode: 'multicast', peers: [] });
    expect(kinds({ keepalived: mode, alone: true })).toEqual(['keepalived-reload', 'vip-interrupted']);
    expect(kinds({ keepalived: { ...vrrp({}), version: 2 }, alone: true })).toEqual(['keepalived-reload']);
  });

  test.each([
    [50, 'vip-contested'],
    [200, undefined],
    [3_000, undefined],
  ])(
    'of a holder that speaks every 500 ms, seen from a backup that is to wait as for %d ms: %s',
    (advertIntervalMs, kind) => {
      const given = {
        before: vrrp({ advertIntervalMs: 500 }),
        keepalived: vrrp({ advertIntervalMs }),
      };
      expect(kinds({ ...given, held: [] }).slice(1)).toEqual(kind === undefined ? [] : [kind]);
      expect(kinds(given)).toEqual(['keepalived-reload']);
    },
  );
});

const instance = fc.record({
  name: fc.constantFrom('API', 'INGRESS', 'API_V6'),
  interface: fc.constantFrom('eth0', 'eth1'),
  virtualRouterId: fc.constantFrom(77, 78),
  mode: fc.constantFrom('unicast', 'multicast'),
  peers: fc.subarray(['10.0.0.2', '10.0.0.3']),
  vips: fc.subarray(['10.0.0.100', '10.0.0.101']),
  advertIntervalMs: fc.constantFrom(50, 500),
  takeOverMs: fc.constant(600),
});
const facts = fc.record({
  version: fc.constantFrom(2, 3),
  instances: fc.uniqueArray(instance, { selector: ({ name }) => name, maxLength: 3 }),
});
const changes = fc
  .record({
    before: facts,
    keepalived: facts,
    restarts: fc.subarray([...containers]),
    held: fc.subarray(['API', 'INGRESS', 'API_V6']),
    alone: fc.boolean(),
    sessions: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(change);

describe('whatever changes', () => {
  const rank = (each: ProposedChange): number => costLevels.indexOf(changeCost(each).level);

  test('one more restart never costs less', () => {
    fc.assert(
      fc.property(changes, fc.constantFrom(...containers), (each, container) => {
        const more = { ...each, restarts: new Set([...each.restarts, container]) };
        expect(rank(more)).toBeGreaterThanOrEqual(Math.max(rank(each), costLevels.indexOf('restart')));
      }),
    );
  });

  test('a VIP moves, leaves or is interrupted only where it is', () => {
    fc.assert(
      fc.property(changes, (each) => {
        const held = (each.keepalived?.before?.instances ?? [])
          .filter(({ name }) => each.now.held.has(name))
          .flatMap(({ vips }) => vips);
        for (const effect of changeCost(each).effects)
          if (effect.kind === 'vip-moves' || effect.kind === 'vip-interrupted')
            expect(held).toContain(effect.vip);
      }),
    );
  });

  test('a single node cannot move a VIP, and cannot share it with a second holder', () => {
    fc.assert(
      fc.property(changes, (each) => {
        if (each.keepalived?.wasAlone !== true) return;
        const found = changeCost(each).effects.map(({ kind }) => kind);
        for (const kind of ['vip-moves', 'two-holders', 'vip-contested'] as const)
          expect(found).not.toContain(kind);
      }),
    );
  });

  test('connections are cut only where the VIP does not stay', () => {
    fc.assert(
      fc.property(changes, (each) => {
        const { sessions, level } = changeCost(each);
        if (sessions.fate === 'cut') expect(['vip-move', 'interruption']).toContain(level);
        if (level === 'nothing') expect(sessions.fate).toBe('kept');
        expect(sessions.now).toBe(each.now.sessions);
      }),
    );
  });
});
