import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VrrpRequest } from '../../../src/keepalived/supervise/state.ts';
import { transitionCauses } from '../../../src/keepalived/supervise/why.ts';
import { createWorld, type Move, type World } from '../../helpers/keepalived-world.ts';
import { runs } from '../../helpers/property-seed.ts';

const ordinary: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      what: fc.constantFrom<VrrpRequest>('reload', 'reload', 'start', 'stop'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), which: fc.nat(9), well: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), lives: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constantFrom<Move>({ kind: 'tell' }, { kind: 'tick' }, { kind: 'die' }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  },
);
const anything: fc.Arbitrary<Move> = fc.oneof(
  { weight: 25, arbitrary: ordinary },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'stop' }) },
);

function forAll(moves: fc.Arbitrary<Move>, holds: (world: World, moves: readonly Move[]) => void): void {
  fc.assert(
    fc.property(fc.boolean(), fc.array(moves, { maxLength: 60 }), (hasConfiguration, played) => {
      const world = createWorld();
      world.send({ kind: 'booted', hasConfiguration, adopted: undefined });
      holds(world, played);
    }),
    { numRuns: runs(1_500) },
  );
}

test('there is never a second keepalived or a start with a stale VIP, and each request has one answer', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) world.play(move);
    world.settle();
    expect(world.violations).toEqual([]);
    expect([...world.answered.entries()].toSorted(([a], [b]) => a - b)).toEqual(
      world.requests.map((request) => [request, 1]),
    );
  });
});

test('once every action succeeds, the actual state becomes the requested state', () => {
  forAll(ordinary, (world, moves) => {
    for (const move of moves) world.play(move);
    world.settle();
    const { wanted, configuration, daemon } = world.state;
    expect(daemon.kind).toBe(wanted === 'up' && configuration !== undefined ? 'up' : 'none');
    expect(world.runs()).toBe(daemon.kind === 'up');
  });
});

test('after a stop nothing starts, everything ends, and the end is reported once', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) world.play(move);
    world.play({ kind: 'stop' });
    const before = world.actions.length;
    for (const move of moves) world.play(move);
    world.settle();
    expect(world.actions.slice(before).filter(({ kind }) => kind === 'start')).toEqual([]);
    expect(world.violations).toEqual([]);
    expect(world.finishes()).toBe(1);
    expect(world.state).toMatchObject({ phase: 'stopped', daemon: { kind: 'none' }, job: undefined });
  });
});

test('every transition has one of the causes that the metric declares', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) world.play(move);
    world.settle();
    const told = world.actions.flatMap((action) =>
      action.kind === 'log' && action.event === 'vrrp-transition' ? [action.fields] : [],
    );
    for (const { to, cause } of told as readonly { to: keyof typeof transitionCauses; cause: string }[])
      expect(transitionCauses[to] as readonly string[]).toContain(cause);
  });
});
