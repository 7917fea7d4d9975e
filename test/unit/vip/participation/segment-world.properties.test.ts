import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { runs } from '../../../helpers/property-seed.ts';
import {
  holdersOf,
  openWorld,
  powerOff,
  powerOn,
  reinstall,
  type SimulatedHost,
  type SimulatedWorld,
  startMonitor,
  step,
} from '../../../helpers/vrrp/simulated-segment.ts';

/** Two backups that detect a dead master may both take the VIP for an advert or two. */
const OVERLAP_TICKS = 4;
/** The nodes are assumed to act on a list within this time. */
const ACTED_MS = 3_000;

type Change =
  | { readonly kind: 'remove' | 'add' | 'off' | 'on' | 'kill' | 'start'; readonly host: number }
  | { readonly kind: 'api'; readonly isUp: boolean }
  | { readonly kind: 'wait' };

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('remove', 'add', 'off', 'on', 'kill', 'start'),
    host: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({ kind: fc.constant('api' as const), isUp: fc.boolean() }),
  fc.constant({ kind: 'wait' as const }),
);
const scripts = fc.array(fc.tuple(changes, fc.integer({ min: 1, max: 200 })), {
  minLength: 1,
  maxLength: 12,
});
/** Less than the 3 s by which a removal applies later than an addition. */
const delays = fc.array(fc.integer({ min: 0, max: 2_500 }), { minLength: 1, maxLength: 5 });

const isQuiet = (world: SimulatedWorld) => world.now - world.membersSince > ACTED_MS + 3_000;
const allReceiveLists = (world: SimulatedWorld) =>
  world.isApiUp && world.hosts.every(({ isOn, monitor }) => !isOn || monitor !== undefined);

/** One change, unless it breaks the assumption that each running node acts on each list in time. */
function apply(world: SimulatedWorld, change: Change): void {
  if (change.kind === 'wait') return;
  if (change.kind === 'api') {
    if (change.isUp || isQuiet(world)) world.isApiUp = change.isUp;
    return;
  }
  const host = world.hosts[change.host % world.hosts.length];
  if (host === undefined) return;
  const isMember = world.members.includes(host.name);
  const setMembers = (members: readonly string[]) => {
    if (!allReceiveLists(world) || !isQuiet(world) || members.length === 0) return;
    Object.assign(world, { members, membersSince: world.now });
  };
  switch (change.kind) {
    case 'remove':
      if (isMember) setMembers(world.members.filter((name) => name !== host.name));
      break;
    case 'add':
      if (!isMember) setMembers([...world.members, host.name].sort());
      break;
    case 'off':
      powerOff(host);
      break;
    case 'on':
      powerOn(world, host);
      break;
    case 'start':
      startMonitor(world, host);
      break;
    case 'kill':
      if (isQuiet(world)) host.monitor = undefined;
  }
}

/** Plays the script; calls `verify` after each tick of a tenth of a second. */
function play(
  world: SimulatedWorld,
  script: readonly (readonly [Change, number])[],
  verify: (world: SimulatedWorld) => void,
): void {
  for (const [change, ticks] of script) {
    apply(world, change);
    for (let tick = 0; tick < ticks; tick += 1) {
      step(world);
      verify(world);
    }
  }
}

test('the VIP has at most one holder while nodes hear each other and apply lists within 3 s', () => {
  fc.assert(
    fc.property(delays, scripts, (all, script) => {
      const world = openWorld(all);
      let overlap = 0;
      play(world, script, () => {
        overlap = holdersOf(world).length > 1 ? overlap + 1 : 0;
        expect(overlap).toBeLessThanOrEqual(OVERLAP_TICKS);
      });
    }),
    { numRuns: runs(100) },
  );
});

const isOff = ({ value, vrrp }: SimulatedHost) => value <= TRACK.fault || vrrp === 'off';

test('a node missing from an accepted list does not compete until a list contains it', () => {
  fc.assert(
    fc.property(delays, scripts, (all, script) => {
      const world = openWorld(all);
      const removed = new Set<string>();
      play(world, script, () => {
        for (const host of world.hosts) {
          const { list } = host.monitor ?? {};
          if (list?.kind !== 'accepted') continue;
          if (list.names === 'others') removed.add(host.name);
          else removed.delete(host.name);
        }
        for (const host of world.hosts) if (removed.has(host.name)) expect(isOff(host)).toBe(true);
      });
    }),
    { numRuns: runs(100) },
  );
});

test('a node removed while powered off stays out next to a holder without an API server', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.boolean(), (ticks, restarts) => {
      const world = openWorld([500, 500, 500]);
      const [, , gone] = world.hosts;
      if (gone === undefined) return;
      powerOff(gone);
      Object.assign(world, { members: ['a', 'b'], membersSince: world.now });
      for (let tick = 0; tick < 100; tick += 1) step(world);
      world.isApiUp = false;
      powerOn(world, gone);
      startMonitor(world, gone);
      for (let tick = 0; tick < 1_000; tick += 1) {
        if (restarts && tick === ticks) {
          gone.monitor = undefined;
          startMonitor(world, gone);
        }
        step(world);
        expect(isOff(gone)).toBe(true);
      }
    }),
    { numRuns: runs(30) },
  );
});

test('a new node without a configuration is not admitted, however late its first list arrives', () => {
  fc.assert(
    fc.property(delays, fc.integer({ min: 1, max: 300 }), (all, ticks) => {
      const world = openWorld([...all, 0]);
      const added = world.hosts.at(-1);
      if (added === undefined) return;
      const names = world.members;
      reinstall(added);
      Object.assign(world, { members: names.slice(0, -1), isApiUp: false });
      powerOn(world, added);
      startMonitor(world, added);
      for (let tick = 0; tick < ticks; tick += 1) {
        step(world);
        expect(added.decided).toBe('waiting');
      }
      Object.assign(world, { members: names, membersSince: world.now, isApiUp: true });
      let overlap = 0;
      for (let tick = 0; tick < 50; tick += 1) {
        step(world);
        overlap = holdersOf(world).length > 1 ? overlap + 1 : 0;
        expect(overlap).toBeLessThanOrEqual(OVERLAP_TICKS);
      }
      expect(added.decided).toBe('in');
    }),
    { numRuns: runs(50) },
  );
});

test('a booting node is in within ten seconds if the VIP is free or the holder is heard', () => {
  fc.assert(
    fc.property(delays, fc.boolean(), fc.integer({ min: 0, max: 50 }), (all, isApiUp, spread) => {
      const world = openWorld(all);
      for (const host of world.hosts) powerOff(host);
      world.isApiUp = isApiUp;
      for (const host of world.hosts) {
        powerOn(world, host);
        startMonitor(world, host);
        for (let tick = 0; tick < spread; tick += 1) step(world);
      }
      for (let tick = 0; tick < 110; tick += 1) step(world);
      expect(world.hosts.map(({ decided }) => decided)).toEqual(all.map(() => 'in'));
      expect(holdersOf(world)).toHaveLength(1);
    }),
    { numRuns: runs(100) },
  );
});

test('after a power loss on all nodes there is a holder within 2.5 s without an API server', () => {
  const world = openWorld([500, 500]);
  for (const host of world.hosts) powerOff(host);
  world.isApiUp = false;
  for (const host of world.hosts) {
    powerOn(world, host);
    startMonitor(world, host);
  }
  for (let tick = 0; tick < 25; tick += 1) step(world);
  expect(holdersOf(world)).toHaveLength(1);
});

test('each side of a partition has one holder, and one remains an advert after it heals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 40, max: 200 }),
      (sides, ticks) => {
        const world = openWorld(sides.map(() => 500));
        for (let tick = 0; tick < 20; tick += 1) step(world);
        world.sides = new Map(world.hosts.map(({ name }, index) => [name, sides[index] ?? 0]));
        for (let tick = 0; tick < ticks; tick += 1) step(world);
        expect(holdersOf(world)).toHaveLength(new Set(sides).size);
        world.sides = new Map();
        step(world);
        expect(holdersOf(world)).toHaveLength(1);
      },
    ),
    { numRuns: runs(50) },
  );
});

test('the loss of the API, or the loss or restart of a monitor, puts no node out', () => {
  const quiet = scripts.map((script) =>
    script.filter(([{ kind }]) => ['api', 'kill', 'start', 'wait'].includes(kind)),
  );
  fc.assert(
    fc.property(delays, quiet, (all, script) => {
      const world = openWorld(all);
      play(world, script, () => {
        for (const host of world.hosts) expect(isOff(host)).toBe(false);
      });
    }),
    { numRuns: runs(200) },
  );
});

test('a removed node stays out across a restart of its monitor without an API server', () => {
  const world = openWorld([500, 500]);
  const [, removed] = world.hosts;
  if (removed === undefined) return;
  for (let tick = 0; tick < 20; tick += 1) step(world);
  Object.assign(world, { members: ['a'], membersSince: world.now });
  for (let tick = 0; tick < 50; tick += 1) step(world);
  Object.assign(world, { isApiUp: false });
  Object.assign(removed, { monitor: undefined });
  startMonitor(world, removed);
  for (let tick = 0; tick < 600; tick += 1) {
    step(world);
    expect(isOff(removed)).toBe(true);
  }
});

/** A known limitation: the node cannot distinguish this from a dead holder. */
test('an admitted node removed after it lost every API server becomes a second holder', () => {
  const world = openWorld([500, 500]);
  const [, cutOff] = world.hosts;
  for (let tick = 0; tick < 20; tick += 1) step(world);
  Object.assign(cutOff ?? {}, { delayMs: Number.POSITIVE_INFINITY });
  Object.assign(world, { members: ['a'], membersSince: world.now });
  for (let tick = 0; tick < 50; tick += 1) step(world);
  expect(holdersOf(world)).toEqual(world.hosts);
});
