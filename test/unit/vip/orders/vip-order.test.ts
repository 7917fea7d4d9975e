import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoTime } from '../../../../src/engine/system/time/iso-time.ts';
import {
  effectOf,
  longestMoveMs,
  type MoveOrder,
  nextProgress,
  notBegun,
  type OrderProgress,
  orderText,
  settleMs,
  type VipOrder,
} from '../../../../src/vip/orders/vip-order.ts';
import { type SimulatedNode, simulateGroup } from '../../../helpers/vrrp/simulated-group.ts';

const asked = { v: 1, id: 'a', by: 'root@cp-1', why: 'kernel', at: isoTime(0) } as const;
const drain: VipOrder = { ...asked, order: 'drain', vips: ['api'] };
const move: MoveOrder = {
  ...asked,
  order: 'move-vip',
  vip: 'api',
  first: 'demote',
  until: isoTime(30_000),
};

type Look = readonly [nowMs: number, holds: boolean];
const stateAfter = (order: VipOrder, looks: readonly Look[], from: OrderProgress = notBegun) =>
  looks.reduce((state, [nowMs, holds]) => nextProgress(state, order, { nowMs, holds }), from);
const order = (order: VipOrder, looks: readonly Look[]) =>
  looks.map((_, index) => effectOf(stateAfter(order, looks.slice(0, index + 1)), order, 'api'));

describe('one move', () => {
  test('from the holder ends once another node has held the VIP for two seconds', () => {
    const looks: readonly Look[] = [
      [0, true],
      [400, true],
      [600, false],
      [600 + settleMs - 1, false],
      [600 + settleMs, false],
    ];
    expect(order(move, looks)).toEqual(['demote', 'demote', 'demote', 'demote', 'none']);
    expect(stateAfter(move, looks)).toEqual({ kind: 'over', outcome: 'moved' });
    expect(stateAfter(move, [...looks, [9_000, true]])).toEqual({ kind: 'over', outcome: 'moved' });
  });

  test('continues if the VIP returns at once', () => {
    const looks: readonly Look[] = [
      [0, true],
      [600, false],
      [1_500, true],
      [700 + settleMs, true],
    ];
    expect(order(move, looks)).toEqual(['demote', 'demote', 'demote', 'demote']);
  });

  test('ends at its deadline if no node takes the VIP', () => {
    expect(
      stateAfter(move, [
        [0, true],
        [30_000, true],
      ]),
    ).toEqual({ kind: 'over', outcome: 'not-moved' });
  });

  test('to this node ends once the node has held the VIP for two seconds', () => {
    const claim = { ...move, first: 'promote' } as const;
    const looks: readonly Look[] = [
      [0, false],
      [400, true],
      [400 + settleMs, true],
    ];
    expect(order(claim, looks)).toEqual(['promote', 'promote', 'none']);
    expect(stateAfter(claim, looks)).toEqual({ kind: 'over', outcome: 'moved' });
  });
});

test('a drain never ends by itself, and applies only to its VIPs', () => {
  const state = stateAfter(drain, [[Number.MAX_SAFE_INTEGER, true]]);
  expect(effectOf(state, drain, 'api')).toBe('drain');
  expect(effectOf(state, drain, 'ingress')).toBe('none');
});

test('a move applies only to its VIP', () => {
  expect(effectOf(stateAfter(move, [[0, true]]), move, 'ingress')).toBe('none');
});

test('an order is shown with its author, deadline and reason', () => {
  const texts = [
    orderText(notBegun, drain, 'api'),
    orderText(stateAfter(move, [[0, true]]), move, 'api'),
    orderText(notBegun, drain, 'ingress'),
    orderText({ kind: 'over', outcome: 'moved' }, move, 'api'),
  ];
  expect(texts).toEqual([
    'drained by root@cp-1 since 1970-01-01T00:00:00.000Z: kernel',
    'move-vip by root@cp-1 until 1970-01-01T00:00:30.000Z at most: kernel',
    undefined,
    undefined,
  ]);
});

const anyMove = fc
  .record({
    first: fc.constantFrom('demote', 'promote'),
    atMs: fc.nat(5_000),
    lastsMs: fc.integer({ min: 1, max: 60_000 }),
  } as const)
  .map(
    ({ first, atMs, lastsMs }): MoveOrder => ({
      ...move,
      first,
      at: isoTime(atMs),
      until: isoTime(atMs + lastsMs),
    }),
  );
const looks = fc.array(fc.tuple(fc.integer({ min: -100_000, max: 200_000 }), fc.boolean()));

describe('property', () => {
  test('a move has no effect at its deadline or later', () => {
    fc.assert(
      fc.property(anyMove, looks, fc.nat(1_000_000), fc.boolean(), (order, before, lateMs, holds) => {
        const state = stateAfter(order, [...before, [Date.parse(order.until) + lateMs, holds]]);
        expect(state.kind).toBe('over');
        expect(effectOf(state, order, 'api')).toBe('none');
      }),
    );
  });

  test('a clock that was set back far ends a move', () => {
    fc.assert(
      fc.property(anyMove, looks, fc.boolean(), (order, before, holds) => {
        const state = stateAfter(order, [...before, [Date.parse(order.until) - longestMoveMs - 1, holds]]);
        expect(effectOf(state, order, 'api')).toBe('none');
      }),
    );
  });

  test('an expired order stays expired', () => {
    fc.assert(
      fc.property(anyMove, looks, looks, (order, before, later) => {
        const state = stateAfter(order, before);
        if (state.kind === 'over') expect(stateAfter(order, later, state)).toEqual(state);
      }),
    );
  });
});

const END_MS = 80_000;
const anyOrder = fc.option(fc.oneof(anyMove, fc.constant(drain)), { nil: undefined });
const group = fc.array(
  fc.record({
    service: fc.constantFrom('ok', 'doubtful', 'failed'),
    order: anyOrder,
    lookEvery: fc.integer({ min: 1, max: 3 }),
  } as const),
  { minLength: 2, maxLength: 5 },
);
const rank = ({ service, order }: SimulatedNode) =>
  service === 'failed' ? 0 : order?.order === 'drain' ? 1 : service === 'doubtful' ? 2 : 3;

describe('a group', () => {
  test('settles on one of its best nodes after any orders', () => {
    fc.assert(
      fc.property(group, (nodes) => {
        const moments = simulateGroup(nodes, END_MS);
        const last = moments.filter(({ atMs }) => atMs >= END_MS - 5_000);
        expect(new Set(last.map(({ holder }) => holder)).size).toBe(1);
        const winner = nodes[last[0]?.holder ?? -1];
        expect(winner && rank(winner)).toBe(Math.max(...nodes.map(rank)));
      }),
    );
  });

  test('never moves the VIP to an unhealthy node that was promoted', () => {
    const claimOf = (service: 'doubtful' | 'failed'): SimulatedNode => ({
      service,
      order: { ...move, first: 'promote' },
    });
    for (const service of ['doubtful', 'failed'] as const) {
      const moments = simulateGroup([{ service: 'ok' }, claimOf(service), { service: 'ok' }], 40_000);
      expect(moments.every(({ holder }) => holder === 0)).toBe(true);
    }
  });

  test('with two promotions at once gives each node the VIP once, and the second keeps it', () => {
    const claim = { ...move, first: 'promote' } as const;
    const order = (id: string) => ({ ...claim, id });
    const nodes: readonly SimulatedNode[] = [
      { service: 'ok' },
      { service: 'ok', order: order('b') },
      { service: 'ok', order: order('c') },
    ];
    const holders = simulateGroup(nodes, 40_000).map(({ holder }) => holder);
    const moves = holders.filter((holder, index) => index > 0 && holder !== holders[index - 1]);
    expect(moves).toHaveLength(2);
    expect(new Set(moves)).toEqual(new Set([1, 2]));
  });
});
