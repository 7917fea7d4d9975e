import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRACK } from '../../../../src/keepalived/track-value.ts';
import { runs } from '../../../helpers/property-seed.ts';
import {
  holdersOf,
  openWorld,
  powerOff,
  powerOn,
  type SimulatedHost,
  type SimulatedWorld,
  startMonitor,
  step,
} from '../../../helpers/vrrp/simulated-segment.ts';

/** Two backups that find a master dead may both take the VIP, for an advert or two. */
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
/** Less than the 3 s by which a removal counts later than an addition. */
const delays = fc.array(fc.integer({ min: 0, max: 2_500 }), { minLength: 1, maxLength: 5 });

const isQuiet = (world: SimulatedWorld) => world.now - world.membersSince > ACTED_MS + 3_000;
const allSee = (world: SimulatedWorld) =>
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
    if (!allSee(world) || !isQuiet(world) || members.length === 0) return;
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

/** Plays the script; `look` sees each tenth of a second. */
function play(
  world: SimulatedWorld,
  script: readonly (readonly [Change, number])[],
  look: (world: SimulatedWorld) => void,
): void {
  for (const [change, ticks] of script) {
    apply(world, change);
    for (let tick = 0; tick < ticks; tick += 1) {
      step(world);
      look(world);
    }
  }
}

test('while all hear each other and act on a list within 3 s, the VIP has at most one holder', () => {
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

test('a node that a believed list lacks does not compete again until one names it', () => {
  fc.assert(
    fc.property(delays, scripts, (all, script) => {
      const world = openWorld(all);
      const removed = new Set<string>();
      play(world, script, () => {
        for (const host of world.hosts) {
          const { list } = host.monitor ?? {};
          if (list?.kind !== 'believed') continue;
          if (list.names === 'others') removed.add(host.name);
          else removed.delete(host.name);
        }
        for (const host of world.hosts) if (removed.has(host.name)) expect(isOff(host)).toBe(true);
      });
    }),
    { numRuns: runs(100) },
  );
});

test('a node that was removed while it was off stays out without an API server next to a holder', () => {
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

test('a node that boots is in within ten seconds if the VIP is free or its holder heard', () => {
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

test('nodes that all lost their power have a holder again after 2.5 s without an API server', () => {
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

test('each side of a partition has one holder, and one is left an advert after it heals', () => {
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

test('the loss of the API, of a monitor or of its restart puts nobody out', () => {
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

test('a node that was removed stays out over a restart of its monitor without an API server', () => {
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

/** The known hole: nothing that this node could see differs from a holder that has died. */
test('a node that is in, loses every API server and is then removed becomes a second holder', () => {
  const world = openWorld([500, 500]);
  const [, cutOff] = world.hosts;
  for (let tick = 0; tick < 20; tick += 1) step(world);
  Object.assign(cutOff ?? {}, { delayMs: Number.POSITIVE_INFINITY });
  Object.assign(world, { members: ['a'], membersSince: world.now });
  for (let tick = 0; tick < 50; tick += 1) step(world);
  expect(holdersOf(world)).toEqual(world.hosts);
});
