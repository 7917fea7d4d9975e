import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  longestMoveMs,
  type MoveOrder,
  nextSteering,
  notSteered,
  type Steering,
  type SteeringOrder,
  settleMs,
  steeringText,
  steerOf,
} from '../../../../src/vip/steering/vrrp-steering.ts';
import { type SimulatedNode, simulateGroup } from '../../../helpers/vrrp/simulated-group.ts';

const asked = { id: 'a', by: 'root@cp-1', why: 'kernel', atMs: 0 };
const drain: SteeringOrder = { ...asked, kind: 'drain', vips: ['api'] };
const move: MoveOrder = {
  ...asked,
  ...{ kind: 'move', purpose: 'move-vip', vip: 'api', first: 'yield' },
  ...{ backAtMs: undefined, untilMs: 30_000 },
};
const drill: MoveOrder = { ...move, purpose: 'drill', backAtMs: 10_000 };

type Look = readonly [nowMs: number, holds: boolean];
const stateAfter = (order: SteeringOrder, looks: readonly Look[], from: Steering = notSteered) =>
  looks.reduce((state, [nowMs, holds]) => nextSteering(state, order, { nowMs, holds }), from);
const steered = (order: SteeringOrder, looks: readonly Look[]) =>
  looks.map((_, index) => steerOf(stateAfter(order, looks.slice(0, index + 1)), order, 'api'));

describe('one move', () => {
  test('a holder yields until another one has had it for a while, and that is all', () => {
    const looks: readonly Look[] = [
      [0, true],
      [400, true],
      [600, false],
      [600 + settleMs - 1, false],
      [600 + settleMs, false],
    ];
    expect(steered(move, looks)).toEqual(['yield', 'yield', 'yield', 'yield', 'none']);
    expect(stateAfter(move, looks)).toEqual({ kind: 'over', outcome: 'moved' });
    expect(stateAfter(move, [...looks, [9_000, true]])).toEqual({ kind: 'over', outcome: 'moved' });
  });

  test('where the VIP comes back at once it goes on yielding', () => {
    const looks: readonly Look[] = [
      [0, true],
      [600, false],
      [1_500, true],
      [700 + settleMs, true],
    ];
    expect(steered(move, looks)).toEqual(['yield', 'yield', 'yield', 'yield']);
  });

  test('if no node takes it, it is over at its deadline', () => {
    expect(
      stateAfter(move, [
        [0, true],
        [30_000, true],
      ]),
    ).toEqual({ kind: 'over', outcome: 'not-moved' });
  });

  test('a claim lasts until it has held the VIP for a while', () => {
    const claim = { ...move, first: 'claim' } as const;
    const looks: readonly Look[] = [
      [0, false],
      [400, true],
      [400 + settleMs, true],
    ];
    expect(steered(claim, looks)).toEqual(['claim', 'claim', 'none']);
    expect(stateAfter(claim, looks)).toEqual({ kind: 'over', outcome: 'moved' });
  });
});

describe('there and back', () => {
  test('it has moved even where it was called back before this node stopped counting as its holder', () => {
    const calledBack = { ...drill, backAtMs: 300 };
    const looks: readonly Look[] = [
      [0, true],
      [300, true],
      [600, false],
      [900, true],
      [900 + settleMs, true],
    ];
    expect(stateAfter(calledBack, looks)).toEqual({ kind: 'over', outcome: 'moved-and-back' });
    const stayed = looks.map(([atMs]): Look => [atMs, true]);
    expect(stateAfter(calledBack, stayed)).toEqual({ kind: 'over', outcome: 'not-moved' });
  });

  test('it rests between, and takes the VIP back at its time', () => {
    const looks: readonly Look[] = [
      [0, true],
      [500, false],
      [500 + settleMs, false],
      [9_999, false],
      [10_000, false],
      [10_400, true],
      [10_400 + settleMs, true],
    ];
    expect(steered(drill, looks)).toEqual(['yield', 'yield', 'none', 'none', 'claim', 'claim', 'none']);
    expect(stateAfter(drill, looks)).toEqual({ kind: 'over', outcome: 'moved-and-back' });
  });

  test('one that is told to go back before it has moved makes sure that it stays', () => {
    const now = { ...drill, backAtMs: 300 };
    const begun = stateAfter(drill, [[200, true]]);
    const turned = stateAfter(now, [[300, true]], begun);
    expect(steerOf(turned, now, 'api')).toBe('claim');
    expect(stateAfter(now, [[300 + settleMs, true]], turned)).toEqual({ kind: 'over', outcome: 'not-moved' });
    const lost = stateAfter(now, [[400, false]], turned);
    expect(steerOf(lost, now, 'api')).toBe('claim');
  });

  test('if the new holder fails, it comes back early and is left alone', () => {
    const looks: readonly Look[] = [
      [0, true],
      [500, false],
      [500 + settleMs, false],
      [6_000, true],
    ];
    expect(stateAfter(drill, looks)).toEqual({ kind: 'over', outcome: 'back-early' });
  });

  test('what is not back at the deadline stays where it is', () => {
    const looks: readonly Look[] = [
      [0, true],
      [500, false],
      [12_000, false],
      [30_000, false],
    ];
    expect(stateAfter(drill, looks)).toEqual({ kind: 'over', outcome: 'not-back' });
  });

  test.each([
    ['before it has moved', 5_000, true, 'yield'],
    ['while it is away', 5_000, false, 'yield'],
    ['when it is time to go back', 11_000, false, 'claim'],
    ['when it is back', 11_000, true, 'claim'],
    ['after its end', 30_000, false, 'none'],
  ] as const)('a monitor that starts %s goes on from there', (_, nowMs, holds, expected) => {
    expect(steered(drill, [[nowMs, holds]])).toEqual([expected]);
  });

  test('a monitor that starts while it is away rests soon', () => {
    const looks: readonly Look[] = [
      [5_000, false],
      [5_000 + settleMs, false],
    ];
    expect(stateAfter(drill, looks)).toEqual({ kind: 'resting' });
  });
});

test('a drain has no end of its own, and counts for its VIPs only', () => {
  const state = stateAfter(drain, [[Number.MAX_SAFE_INTEGER, true]]);
  expect(steerOf(state, drain, 'api')).toBe('drain');
  expect(steerOf(state, drain, 'ingress')).toBe('none');
});

test('a move is of one VIP', () => {
  expect(steerOf(stateAfter(move, [[0, true]]), move, 'ingress')).toBe('none');
});

test('what is asked is said with who, until when and why', () => {
  const texts = [
    steeringText({ kind: 'drained' }, drain, 'api'),
    steeringText(stateAfter(move, [[0, true]]), move, 'api'),
    steeringText({ kind: 'resting' }, drill, 'api'),
    steeringText({ kind: 'drained' }, drain, 'ingress'),
    steeringText({ kind: 'over', outcome: 'moved' }, move, 'api'),
  ];
  expect(texts).toEqual([
    'drained by root@cp-1 since 1970-01-01T00:00:00.000Z: kernel',
    'move-vip by root@cp-1 until 1970-01-01T00:00:30.000Z at most: kernel',
    'drill by root@cp-1 until 1970-01-01T00:00:30.000Z at most, goes back at 1970-01-01T00:00:10.000Z: kernel',
    undefined,
    undefined,
  ]);
});

const anyMove = fc
  .record({
    first: fc.constantFrom('yield', 'claim'),
    atMs: fc.nat(5_000),
    lastsMs: fc.integer({ min: 1, max: 60_000 }),
    backAfterMs: fc.option(fc.nat(60_000), { nil: undefined }),
  } as const)
  .map(
    ({ first, atMs, lastsMs, backAfterMs }): MoveOrder => ({
      ...move,
      ...{ first, atMs, untilMs: atMs + lastsMs },
      backAtMs: backAfterMs === undefined ? undefined : atMs + backAfterMs,
    }),
  );
const looks = fc.array(fc.tuple(fc.integer({ min: -100_000, max: 200_000 }), fc.boolean()));

describe('property', () => {
  test('whatever was seen before, nothing is left of a move at its deadline or later', () => {
    fc.assert(
      fc.property(anyMove, looks, fc.nat(1_000_000), fc.boolean(), (order, before, lateMs, holds) => {
        const state = stateAfter(order, [...before, [order.untilMs + lateMs, holds]]);
        expect(state.kind).toBe('over');
        expect(steerOf(state, order, 'api')).toBe('none');
      }),
    );
  });

  test('a clock that was put back far ends a move', () => {
    fc.assert(
      fc.property(anyMove, looks, fc.boolean(), (order, before, holds) => {
        const state = stateAfter(order, [...before, [order.untilMs - longestMoveMs - 1, holds]]);
        expect(steerOf(state, order, 'api')).toBe('none');
      }),
    );
  });

  test('what is over stays over', () => {
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
  service === 'failed' ? 0 : order?.kind === 'drain' ? 1 : service === 'doubtful' ? 2 : 3;

describe('a group', () => {
  test('comes to rest with one of its best nodes, whatever was ordered of whom', () => {
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

  test('never follows the claim of a node that is not well', () => {
    const claimOf = (service: 'doubtful' | 'failed'): SimulatedNode => ({
      service,
      order: { ...move, first: 'claim' },
    });
    for (const service of ['doubtful', 'failed'] as const) {
      const moments = simulateGroup([{ service: 'ok' }, claimOf(service), { service: 'ok' }], 40_000);
      expect(moments.every(({ holder }) => holder === 0)).toBe(true);
    }
  });

  test('two claims at once: each has it once, and it stays with the second', () => {
    const claim = { ...move, first: 'claim' } as const;
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

  test('a drill goes to the next node and comes back, and moves nothing else', () => {
    const nodes: readonly SimulatedNode[] = [
      { service: 'ok', order: drill },
      { service: 'ok' },
      { service: 'ok' },
    ];
    const holders = simulateGroup(nodes, 40_000).map(({ holder }) => holder);
    const moves = holders.filter((holder, index) => index > 0 && holder !== holders[index - 1]);
    expect(moves).toEqual([1, 0]);
  });
});
