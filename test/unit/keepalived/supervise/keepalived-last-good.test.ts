import { expect, test } from 'vitest';
import { createWorld, eventsOf, running, type World } from '../../../helpers/keepalived-world.ts';

/** A keepalived whose reload with configuration 2 ended it. */
function endedByReload(): World {
  const world = running();
  world.play({ kind: 'request', what: 'reload' });
  world.play({ kind: 'finish', which: 0, well: true });
  world.play({ kind: 'die' });
  return world;
}

/** What the next check refuses. */
function refused(world: World, request: number): string | undefined {
  const [check] = world.send({ kind: 'requested', what: 'reload', request });
  if (check?.kind !== 'check') throw new Error('no check');
  return check.refusedHash;
}

/** Dies in its next start. */
function dieInStart(world: World): void {
  const starts = startsOf(world).length;
  for (let round = 0; startsOf(world).length === starts && round < 20; round += 1)
    world.play({ kind: round % 2 === 0 ? 'finish' : 'tick', which: 0, well: true });
  world.play({ kind: 'die' });
}

/** The number of the configuration of each start. */
function startsOf({ actions }: World): readonly number[] {
  return actions.flatMap((action) => (action.kind === 'start' ? [action.configuration.number] : []));
}

test('after a configuration that ends keepalived the last good one serves, and the other is tried once more', () => {
  const world = endedByReload();
  expect(world.actions.filter(({ kind }) => kind === 'answer')).toMatchObject([
    { requests: [1], result: { stage: 'start' } },
  ]);
  world.settle();
  expect(startsOf(world)).toEqual([1]);
  expect(world.state).toMatchObject({ daemon: { kind: 'up' }, configuration: { number: 1 }, restarts: 1 });
  expect(eventsOf(world.actions)).toContain('falling-back-to-last-good');
  expect(refused(world, 2)).toBeUndefined();
});

test('a configuration that ended keepalived twice is refused for ten minutes', () => {
  const world = endedByReload();
  world.settle();
  world.play({ kind: 'request', what: 'reload' });
  world.play({ kind: 'finish', which: 0, well: true });
  const { configuration } = world.state;
  if (configuration === undefined) throw new Error('no configuration');
  world.state = { ...world.state, configuration: { ...configuration, sha256: 'sha-2' } };
  world.play({ kind: 'die' });
  world.settle();
  expect(startsOf(world)).toEqual([1, 1]);
  expect(refused(world, 3)).toBe('sha-2');
  world.settle();
  world.now += 600_000;
  expect(refused(world, 4)).toBeUndefined();
});

test('a configuration that has run since is not counted as deadly', () => {
  const world = running();
  world.state = { ...world.state, deadly: { sha256: 'sha-2', times: 1, at: world.now } };
  world.play({ kind: 'request', what: 'reload' });
  world.settle();
  expect(world.state).toMatchObject({ configuration: { sha256: 'sha-2' }, deadly: undefined });
});

test('if keepalived also dies with the last good configuration, it is restarted with that one after a pause', () => {
  const world = endedByReload();
  for (let death = 0; death < 3; death += 1) dieInStart(world);
  world.settle();
  expect(startsOf(world)).toEqual([1, 1, 1, 1]);
  expect(world.state).toMatchObject({ daemon: { kind: 'up' }, deadly: { sha256: 'sha-2', times: 1 } });
});

test('a configuration that ended keepalived is tried again after a stop', () => {
  const world = endedByReload();
  world.settle();
  world.play({ kind: 'request', what: 'stop' });
  world.settle();
  expect(world.send({ kind: 'requested', what: 'start', request: 3 })).toEqual([
    { kind: 'check', check: 3, refusedHash: undefined },
  ]);
});

test('without a last good configuration, the one that ended keepalived is started again', () => {
  const world = createWorld();
  world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined });
  dieInStart(world);
  world.settle();
  expect(startsOf(world)).toEqual([1, 1]);
  expect(world.state).toMatchObject({ daemon: { kind: 'up' }, deadly: undefined });
});
