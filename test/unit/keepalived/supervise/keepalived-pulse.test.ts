import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Action, Vitals } from '../../../../src/keepalived/supervise/state.ts';
import { kindsOf, running, type World } from '../../../helpers/keepalived-world.ts';

const still: Vitals = { switches: 7, starved: false, stopped: false };

/** Polls 200 ms apart. Returns the actions after each poll, without log lines. */
function see(world: World, looks: readonly Vitals[]): readonly Action[] {
  return looks.flatMap((vitals) => {
    const { daemon } = world.state;
    if (daemon.kind !== 'up') throw new Error('keepalived is not up');
    world.now += 200;
    return world.send({ kind: 'polled', id: daemon.id, vitals });
  });
}

const times = (count: number, vitals: Vitals): readonly Vitals[] =>
  Array.from({ length: count }, () => vitals);

test('a keepalived without a pulse is woken, then killed, within 2 to 3 seconds', () => {
  const world = running();
  const before = world.now;
  see(world, [still]);
  const actions = see(world, times(12, still));
  expect(kindsOf(actions)).toEqual(['wake', 'wake', 'wake', 'kill']);
  expect(world.now - before).toBeLessThanOrEqual(3_000);
  expect(world.actions).toContainEqual(
    expect.objectContaining({
      event: 'keepalived-hung',
      fields: expect.objectContaining({ stopped: false }),
    }),
  );
});

test('a killed keepalived is not killed again while it ends', () => {
  const world = running();
  see(world, times(13, still));
  expect(see(world, times(30, still))).toEqual([]);
});

test('the VIP of a hung keepalived is removed at once, because a peer has had time to take over', () => {
  const world = running();
  see(world, times(13, still));
  const { daemon } = world.state;
  if (daemon.kind !== 'up') throw new Error('keepalived is not up');
  world.send({ kind: 'exited', id: daemon.id, how: 'signal SIGKILL' });
  expect(kindsOf(world.send({ kind: 'reaped' }))).toEqual(['sweep']);
});

test('a stopped keepalived is replaced even if another of its processes is alive', () => {
  const actions = see(
    running(),
    Array.from({ length: 13 }, (_, index) => ({ switches: index, starved: true, stopped: true })),
  );
  expect(kindsOf(actions)).toContain('kill');
});

test('a keepalived that waits for a CPU is never considered hung', () => {
  expect(see(running(), times(1_000, { ...still, starved: true }))).toEqual([]);
});

test('a keepalived that sleeps normally is only woken from time to time', () => {
  const world = running();
  let switches = 0;
  for (let look = 0; look < 1_000; look += 1) {
    const woken = see(world, [{ ...still, switches }]).some(({ kind }) => kind === 'wake');
    if (woken) switches += 1;
  }
  expect(kindsOf(world.actions)).not.toContain('kill');
});

test('any sign of life within twelve polls prevents the kill', () => {
  const gap = fc.record({ looks: fc.integer({ min: 1, max: 11 }), starved: fc.boolean() });
  fc.assert(
    fc.property(fc.array(gap, { minLength: 1, maxLength: 20 }), (gaps) => {
      const world = running();
      for (const [index, { looks, starved }] of gaps.entries()) {
        const switches = starved ? 0 : index + 1;
        see(world, [{ switches, starved, stopped: false }]);
        see(world, times(looks, { switches, starved: false, stopped: false }));
      }
      expect(kindsOf(world.actions)).not.toContain('kill');
    }),
  );
});
