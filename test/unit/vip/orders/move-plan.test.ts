import { describe, expect, test } from 'vitest';
import {
  drainObjections,
  type MoveRequest,
  nextHolder,
  type OrderFacts,
  planMove,
  type VipFacts,
} from '../../../../src/vip/orders/move-plan.ts';

const [first, third] = [
  { name: 'cp-1', address: '10.0.0.11', priority: 220 },
  { name: 'cp-3', address: '10.0.0.13', priority: 200 },
];
const api: VipFacts = {
  kind: 'api',
  vips: ['10.0.0.5'],
  holder: true,
  troubles: [],
  measured: true,
  order: undefined,
  othersServe: true,
  servingPeers: [first, third],
  peers: [first, third],
};
const ingress: VipFacts = {
  ...api,
  kind: 'ingress',
  vips: ['10.0.0.6'],
  servingPeers: [],
  peers: [],
};
const factsOf = (vip: Partial<VipFacts> = {}, more: Partial<OrderFacts> = {}): OrderFacts => ({
  self: 'cp-2',
  vips: [{ ...api, ...vip }, ingress],
  splitBrain: [],
  group: [],
  virtualRouterIdTaken: undefined,
  ...more,
});
const wish = (part: Partial<MoveRequest> = {}): MoveRequest => ({
  kind: 'api',
  to: undefined,
  holder: undefined,
  ...part,
});
const reasonsOf = (facts: OrderFacts, wanted = wish()) => {
  const plan = planMove(facts, wanted);
  return plan.kind === 'refused' ? plan.reasons.join('\n') : plan.kind;
};

test('a VIP that its holder gives up goes to the peer with the highest priority', () => {
  expect(nextHolder([third, first])).toBe(first);
  expect(nextHolder([])).toBeUndefined();
});

describe('a move from the holder', () => {
  test('goes to the first peer, with the reason', () => {
    expect(planMove(factsOf(), wish())).toEqual({
      kind: 'move',
      first: 'demote',
      to: 'cp-1',
      why: 'highest priority among healthy peers: cp-1 220, cp-3 200',
    });
    expect(planMove(factsOf({ servingPeers: [third] }), wish())).toMatchObject({ to: 'cp-3' });
    expect(planMove(factsOf(), wish({ to: 'cp-1' }))).toMatchObject({ first: 'demote', to: 'cp-1' });
  });

  test('to a node that is not next must be ordered on that node', () => {
    expect(reasonsOf(factsOf(), wish({ to: 'cp-3' }))).toBe(
      'the VIP would go to cp-1, which ranks before cp-3; run this command on cp-3',
    );
    const silent = reasonsOf(factsOf({ servingPeers: [first] }), wish({ to: 'cp-3' }));
    expect(silent).toContain('cp-3 does not report that it could serve');
    expect(reasonsOf(factsOf(), wish({ to: 'cp-9' }))).toBe(
      'there is no node "cp-9" in its group, expected cp-2, cp-1, cp-3',
    );
  });

  test('of an ingress VIP, whose peers are not known by name, goes to another node', () => {
    const plan = planMove(factsOf(), wish({ kind: 'ingress' }));
    expect(plan).toMatchObject({ kind: 'move', first: 'demote', to: undefined });
  });
});

describe('a move to this node', () => {
  const backup = factsOf({ holder: false });
  test('promotes this node, or does nothing if it is the holder', () => {
    expect(planMove(backup, wish({ to: 'cp-2' }))).toMatchObject({ first: 'promote', to: 'cp-2' });
    expect(planMove(factsOf(), wish({ to: 'cp-2' }))).toMatchObject({ kind: 'nothing' });
  });

  test('must be ordered on the holder or on the target', () => {
    expect(reasonsOf(backup, wish({ holder: 'cp-3' }))).toBe(
      'cp-2 does not hold the API VIP 10.0.0.5; run this command on its holder, cp-3, or --to cp-2',
    );
    expect(reasonsOf(backup, wish({ to: 'cp-3' }))).toContain('run this command on cp-3');
  });
});

test.each<[string, Partial<VipFacts>, Partial<OrderFacts>, string]>([
  [
    'no other node serves',
    { othersServe: false, servingPeers: [] },
    {},
    'no other node reports that it could serve',
  ],
  [
    'this node is drained',
    { order: 'drained by root' },
    {},
    'this node is drained by root; undrain it or wait',
  ],
  [
    'another order stands',
    { order: 'move-vip by root' },
    {},
    'this node already follows an order (move-vip by root)',
  ],
  ['HAProxy is dead', { troubles: ['HAProxy: dead'] }, {}, 'this node is not healthy: HAProxy: dead'],
  ['not measured', { measured: false }, {}, 'the health of the API VIP'],
  ['there are two holders', {}, { splitBrain: ['10.0.0.5'] }, 'another host answers for 10.0.0.5 too'],
  [
    'the id is taken',
    {},
    { virtualRouterIdTaken: 'prod uses 77' },
    'prod uses 77, expected an id of its own',
  ],
])('a move is refused if %s', (_, vip, more, reason) => {
  expect(reasonsOf(factsOf(vip, more))).toContain(reason);
});

test('a refused move lists every reason', () => {
  const facts = factsOf({ troubles: ['HAProxy: dead'] }, { virtualRouterIdTaken: 'prod uses 77' });
  expect(reasonsOf(facts).split('\n')).toEqual([
    'prod uses 77, expected an id of its own',
    'this node is not healthy: HAProxy: dead',
  ]);
});

test('a VIP that this node does not have is not moved', () => {
  expect(reasonsOf({ ...factsOf(), vips: [] })).toBe('this node has no API VIP');
});

describe('a drain', () => {
  const alone = { othersServe: false, servingPeers: [] };
  test('is refused without --force if no other node could take the VIP', () => {
    expect(drainObjections(factsOf(alone), ['api'], false)).toEqual([
      'no other node reports that it could serve the API VIP 10.0.0.5; add --force to drain anyway',
    ]);
    expect(drainObjections(factsOf(alone), ['api'], true)).toEqual([]);
    expect(drainObjections(factsOf({ ...alone, holder: false }), ['api'], false)).toEqual([]);
  });

  test('is refused even with --force if the monitor reports no value for the VIP', () => {
    const facts = { ...factsOf(), vips: [api, { ...ingress, measured: false }] };
    for (const force of [false, true])
      expect(drainObjections(facts, ['api', 'ingress'], force).join()).toContain(
        'expected the keepalived monitor to report it',
      );
    expect(drainObjections(facts, ['api'], false)).toEqual([]);
  });

  test('is refused for a VIP that this node does not have', () => {
    const facts = { ...factsOf(), vips: [api] };
    expect(drainObjections(facts, ['ingress'], true)).toEqual(['this node has no ingress VIP']);
  });
});
