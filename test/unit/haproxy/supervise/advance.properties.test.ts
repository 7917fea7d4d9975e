import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextDeadline } from '../../../../src/haproxy/supervise/advance.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { createWorld, type Move, type World } from '../../../helpers/supervisor-world.ts';

const which = fc.nat(20);
const ordinary: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Move>({ kind: 'request' }) },
  { weight: 2, arbitrary: fc.constant<Move>({ kind: 'tick-at-deadline' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), which, well: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hang' as const),
      which,
      hangs: fc.constantFrom('master' as const, 'worker' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      which,
      busyMs: fc.constantFrom(0, 1_000, 2_000, 29_999, 30_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('die' as const, 'stale' as const), which }) },
);
const anything: fc.Arbitrary<Move> = fc.oneof(
  { weight: 20, arbitrary: ordinary },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'stop' }) },
);

function forAll(moves: fc.Arbitrary<Move>, holds: (world: World, moves: readonly Move[]) => void): void {
  fc.assert(
    fc.property(fc.boolean(), fc.array(moves, { maxLength: 60 }), (hasConfiguration, played) => {
      holds(createWorld(hasConfiguration), played);
    }),
    { numRuns: runs(1_500) },
  );
}

test('every request is answered exactly once, and the supervisor comes to rest', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) world.play(move);
    world.settle();
    expect(world.violations).toEqual([]);
    expect([...world.answered.entries()].toSorted(([a], [b]) => a - b)).toEqual(
      world.requests.map((request) => [request, 1]),
    );
  });
});

test('no healthy generation is ended, no process outlives the end, never two jobs', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) {
      world.play(move);
      expect(world.violations).toEqual([]);
      const { job, serving, retiring } = world.machine.state;
      const numbers = [
        ...(serving === undefined ? [] : [serving.number]),
        ...(job !== undefined && 'number' in job.stage ? [job.stage.number] : []),
        ...retiring.map(({ number }) => number),
      ];
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });
});

test('a request leads to a later start, and all requests during one job to exactly one more', () => {
  forAll(ordinary, (world, moves) => {
    for (const move of moves) world.play(move);
    world.settle();
    const before = world.startsBegun();
    for (let crowd = 0; crowd < 5; crowd += 1) world.play({ kind: 'request' });
    world.settle();
    expect(world.startsBegun()).toBe(before + 2);
    expect(world.machine.state.serving?.config).toBe('live');
  });
});

test('after a stop everything retires, nothing starts, and the end is reported exactly once', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) world.play(move);
    world.play({ kind: 'stop' });
    const { nextNumber } = world.machine.state;
    for (const move of moves) world.play(move);
    world.settle();
    expect(world.finishes()).toBe(1);
    expect(world.machine.state).toMatchObject({
      phase: 'stopped',
      nextNumber,
      serving: undefined,
      job: undefined,
      retiring: [],
    });
  });
});

test('after at most two ticks the next deadline is ahead: no busy loop, however late the ticks', () => {
  forAll(anything, (world, moves) => {
    for (const move of moves) {
      world.play(move);
      // A generation that the first tick retires may itself be due: that is a second tick, not a loop.
      for (let tick = 0; tick < 2; tick += 1) world.machine.send({ kind: 'tick' });
      expect(nextDeadline(world.machine.state) ?? Infinity).toBeGreaterThan(world.machine.now);
    }
  });
});

test('workers that stay busy below the limit are never signalled, and there are at most three', () => {
  const time = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 5_000 }) }),
    fc.record({ kind: fc.constant('finish' as const), which, well: fc.boolean() }),
    fc.record({ kind: fc.constant('run' as const), which, busyMs: fc.integer({ min: 2_000, max: 29_999 }) }),
  );
  forAll(time, (world, moves) => {
    for (const move of moves) world.play(move);
    const { actions, state } = world.machine;
    const signals = actions.filter(
      ({ kind }) => kind === 'soft-stop' || kind === 'terminate' || kind === 'kill',
    );
    expect(signals).toEqual([]);
    expect(state.retiring.length).toBeLessThanOrEqual(2);
  });
});
