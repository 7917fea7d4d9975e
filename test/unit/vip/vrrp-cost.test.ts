import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VrrpFacts, VrrpInstanceFacts } from '../../../src/keepalived/vrrp-facts.ts';
import { type VrrpChange, vrrpEffects } from '../../../src/vip/vrrp-cost.ts';

const VIP = '10.0.0.100';

const api: VrrpInstanceFacts = {
  name: 'API',
  interface: 'eth0',
  virtualRouterId: 77,
  mode: 'unicast',
  peers: ['10.0.0.2', '10.0.0.3'],
  vips: [VIP],
  advertIntervalMs: 100,
  downTimerAdverts: 3,
  takeOverMs: 600,
};
const vrrp = (...instances: readonly Partial<VrrpInstanceFacts>[]): VrrpFacts => ({
  version: 3,
  instances: instances.map((each) => ({ ...api, ...each })),
});

interface Given {
  readonly after?: VrrpFacts;
  readonly before?: VrrpFacts;
  readonly restarts?: readonly string[];
  readonly held?: readonly string[];
  readonly alone?: boolean;
  readonly healthPort?: number;
}

/** A node that holds the VIP, on which nothing changes but what is given. */
function change(given: Given): VrrpChange {
  const { before = vrrp({}), after = before, held = ['API'], alone = false } = given;
  return {
    ...{ before, after, isReloaded: given.after !== undefined, wasAlone: alone, isAlone: alone },
    restarts: new Set(given.restarts ?? []),
    healthPort: { before: 9444, after: given.healthPort ?? 9444 },
    monitorTimeoutMs: 3_000,
    held: new Set(held),
  };
}

const effectsOf = (given: Given) => vrrpEffects(change(given));
const kinds = (given: Given) => effectsOf(given).map(({ kind }) => kind);

test('what changes nothing has no effect', () => {
  expect(effectsOf({})).toEqual([]);
});

test('another peer moves nothing', () => {
  const after = vrrp({ peers: [...api.peers, '10.0.0.4'] });
  expect(effectsOf({ after })).toEqual([
    expect.objectContaining({ kind: 'keepalived-reload', level: 'reload' }),
  ]);
  expect(effectsOf({ after })[0]?.connections).toBeUndefined();
});

test('a peer that is left out may take the VIP, where it lives on', () => {
  for (const held of [['API'], []])
    expect(effectsOf({ after: vrrp({ peers: ['10.0.0.2'] }), held }).slice(1)).toEqual([
      {
        ...{ kind: 'peer-left-out', subject: VIP, level: 'interruption' },
        says: expect.stringMatching(/^10\.0\.0\.3 is no longer a peer/),
      },
    ]);
});

test.each([
  { restarts: ['keepalived'], because: 'keepalived of this one resigns' },
  { restarts: ['haproxy'], because: 'if one of them can serve: HAProxy of this one ends' },
  { restarts: [], healthPort: 9_999, because: 'HAProxy is not where this one asks for it' },
] as const)('the VIP moves from a holder: $because', ({ because, ...given }) => {
  expect(effectsOf(given)).toContainEqual({
    ...{ kind: 'vip-moves', subject: VIP, level: 'vip-move', connections: 'cut' },
    says: expect.stringContaining(because),
  });
  expect(kinds({ ...given, held: [] })).not.toContain('vip-moves');
});

test('the VIP of a node that is alone goes away with keepalived, and stays when HAProxy ends', () => {
  expect(effectsOf({ restarts: ['keepalived'], alone: true })).toContainEqual({
    ...{ kind: 'vip-interrupted', subject: VIP, level: 'interruption', connections: 'cut' },
    says: expect.stringContaining('up to 600 ms'),
  });
  expect(kinds({ restarts: ['haproxy'], alone: true })).toEqual([]);
});

test('a VIP of ingress has nothing to do with HAProxy', () => {
  const before = vrrp({ name: 'INGRESS' });
  expect(kinds({ before, held: ['INGRESS'], restarts: ['haproxy', 'haproxy-monitor'] })).toEqual([]);
});

test('a restarted monitor does not tell the health, and moves nothing by itself', () => {
  expect(effectsOf({ restarts: ['keepalived-monitor'] })).toEqual([
    { kind: 'health-untold', level: 'restart', says: expect.stringContaining('after 3.0 s') },
  ]);
});

test('another VIP leaves the clients of the old one, and comes up as the new one', () => {
  const after = vrrp({ vips: ['10.0.0.200'] });
  expect(effectsOf({ after }).slice(1)).toMatchObject([
    { kind: 'vip-leaves', subject: VIP, level: 'interruption', connections: 'cut' },
    { kind: 'vip-appears', subject: '10.0.0.200', level: 'reload' },
  ]);
  expect(effectsOf({ after, held: [] }).map(({ level }) => level)).toEqual(['reload', 'reload', 'reload']);
});

const splitting: readonly (readonly [string, VrrpFacts, string])[] = [
  ['virtual router id', vrrp({ virtualRouterId: 78 }), ''],
  ['mode', vrrp({ mode: 'multicast', peers: [] }), 'docs/migration.md'],
  ['interface', vrrp({ interface: 'eth1' }), ''],
  ['VRRP version', { ...vrrp({ name: 'CLUSTER_API' }), version: 2 }, 'docs/migration.md'],
];
test.each(splitting)(
  'the VIP is on two nodes after another %s on one of them, holder or not',
  (difference, after, advice) => {
    for (const held of [['API'], []]) {
      const [, effect, ...more] = effectsOf({ after, held });
      expect(effect).toMatchObject({ kind: 'two-holders', subject: VIP, level: 'interruption' });
      expect(effect?.says).toContain(`with a different ${difference} this node`);
      expect(effect?.says.endsWith(advice === '' ? 'hear each other' : `(${advice})`)).toBe(true);
      expect(more).toEqual([]);
    }
  },
);

test('the VIP of a node that is alone is given up for another mode, and kept for another version', () => {
  const after = vrrp({ mode: 'multicast', peers: [] });
  expect(kinds({ after, alone: true })).toEqual(['keepalived-reload', 'vip-interrupted']);
  expect(kinds({ after: { ...vrrp({}), version: 2 }, alone: true })).toEqual(['keepalived-reload']);
});

const adverts = (advertIntervalMs: number, downTimerAdverts = 3) =>
  vrrp({ advertIntervalMs, downTimerAdverts });
test.each([
  ['backup', adverts(500), adverts(50), 'vip-contested'],
  ['backup', adverts(1_000), adverts(20, 15), 'vip-contested'],
  ['backup', adverts(20, 15), adverts(100), 'vip-contested'],
  ['backup', adverts(100), adverts(20, 15), 'interval-mixed'],
  ['holder', adverts(100), adverts(20, 15), 'vip-contested'],
  ['holder', adverts(20, 15), adverts(100), 'interval-mixed'],
  ['holder', adverts(1_000), adverts(200), 'interval-mixed'],
] as const)(
  'another advert interval on one node, a %s: the agreement file is the way',
  (role, before, after, kind) => {
    const [reload, effect, ...more] = effectsOf({ before, after, held: role === 'holder' ? ['API'] : [] });
    expect([reload?.kind, effect?.kind, more]).toEqual(['keepalived-reload', kind, []]);
    expect(effect?.says).toMatch(/schedule the change on all nodes instead \(docs\/upgrade\.md\)$/);
  },
);

const instance = fc.record({
  name: fc.constantFrom('API', 'INGRESS', 'API_V6'),
  interface: fc.constantFrom('eth0', 'eth1'),
  virtualRouterId: fc.constantFrom(77, 78),
  mode: fc.constantFrom('unicast', 'multicast'),
  peers: fc.subarray(['10.0.0.2', '10.0.0.3']),
  vips: fc.subarray([VIP, '10.0.0.101']),
  advertIntervalMs: fc.constantFrom(50, 500),
  downTimerAdverts: fc.constant(3),
  takeOverMs: fc.constant(600),
});
const facts = fc.record({
  version: fc.constantFrom(2, 3),
  instances: fc.uniqueArray(instance, { selector: ({ name }) => name, maxLength: 3 }),
});
const changes = fc
  .record({
    before: facts,
    after: facts,
    restarts: fc.subarray(['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor']),
    held: fc.subarray(['API', 'INGRESS', 'API_V6']),
    alone: fc.boolean(),
  })
  .map(change);

describe('whatever changes', () => {
  test('a VIP moves or is interrupted only where it is', () => {
    fc.assert(
      fc.property(changes, (each) => {
        const held = (each.before?.instances ?? [])
          .filter(({ name }) => each.held.has(name))
          .flatMap(({ vips }) => vips);
        for (const { kind, subject } of vrrpEffects(each))
          if (kind === 'vip-moves' || kind === 'vip-interrupted') expect(held).toContain(subject);
      }),
    );
  });

  test('a single node cannot move a VIP, and cannot share it with a second holder', () => {
    fc.assert(
      fc.property(changes, (each) => {
        if (!each.wasAlone) return;
        const found = vrrpEffects(each).map(({ kind }) => kind);
        for (const kind of ['vip-moves', 'two-holders', 'vip-contested'] as const)
          expect(found).not.toContain(kind);
      }),
    );
  });

  test('connections are cut only where the VIP does not stay', () => {
    fc.assert(
      fc.property(changes, (each) => {
        for (const { connections, level } of vrrpEffects(each))
          if (connections === 'cut') expect(['vip-move', 'interruption']).toContain(level);
      }),
    );
  });
});
