import fc from 'fast-check';
import { expect, it } from 'vitest';
import { advance } from '../../../../src/engine/config/deploy.ts';
import {
  type Deploy,
  type DeployAction,
  type DeployEvent,
  initialDeploy,
  isHeld,
  type Policy,
  type Version,
} from '../../../../src/engine/config/deploy-state.ts';
import { type Rendered, revisionOf } from '../../../../src/engine/config/set.ts';
import { type Content, createWorld, type Trouble } from './deploy-world.ts';

const content = fc.tuple(
  fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 })),
  fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 2 })),
);
const trouble = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Trouble>('none') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Trouble>('silent', 'lost-answer', 'disk', 'refused', 'impossible'),
  },
);
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('act' as const), index: fc.nat(3), trouble }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set-desired' as const), content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(6_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'die' as const, 'edit' as const) }),
  },
);
const options = fc.record({
  check: fc.constantFrom('before-write' as const, 'when-idle' as const),
  reloadEveryMs: fc.constantFrom(0, 5_000),
  /** Backends with this number of servers, or of this shape, are refused. */
  badServers: fc.constantFrom(-1, 2),
  badShape: fc.constantFrom(-1, 2),
  /** The first configuration is in effect before anything else happens. */
  isServed: fc.boolean(),
});

type World = ReturnType<typeof createWorld>;

/** Runs the commands in order, and then without further faults until nothing is left to do. */
function run(
  { badServers, badShape, isServed, ...rest }: typeof options extends fc.Arbitrary<infer T> ? T : never,
  commands: readonly (typeof command extends fc.Arbitrary<infer T> ? T : never)[],
  last: Content,
): World {
  const isBad = (all: Content): boolean =>
    all.some(([shape, servers]) => shape === badShape || servers === badServers);
  const world = createWorld({ ...rest, isBad });
  world.setDesired([
    [0, 0],
    [0, 0],
  ]);
  if (isServed) settle(world);
  for (const each of commands)
    switch (each.kind) {
      case 'act':
        world.act(each.index, each.trouble);
        break;
      case 'set-desired':
        world.setDesired(each.content);
        break;
      case 'pass':
        world.pass(each.ms);
        break;
      case 'crash':
      case 'die':
      case 'edit':
        world[each.kind]();
    }
  settle(world);
  world.setDesired(last);
  settle(world);
  // Setting the same content again makes the deployer read what the program did by itself.
  world.setDesired(last);
  settle(world);
  return world;
}

const MOST_STEPS = 300;

/** Carries out all actions and deadlines, except endless retries. */
function settle(world: World): void {
  let deadlines = 0;
  for (let step = 0; step < MOST_STEPS; step += 1)
    if (world.isBusy()) world.act(0, 'none');
    else if (deadlines > 4 || !world.passToDeadline()) return;
    else deadlines += 1;
  throw new Error('it does not come to rest');
}

/** In half of the runs the last desired content is not a new one. */
const runs = fc
  .tuple(options, fc.array(command, { maxLength: 60 }), content, fc.boolean())
  .map(([world, commands, other, isOther]) => {
    const desired = commands.findLast(({ kind }) => kind === 'set-desired');
    const last = isOther || desired?.kind !== 'set-desired' ? other : desired.content;
    return [world, commands, last] as const;
  });

it('the desired version ends up running and on disk, or refused with the last good one on disk', () => {
  fc.assert(
    fc.property(runs, ([world, commands, last]) => {
      const { disk, program, reports, desired } = run(world, commands, last).left();
      const isCopied = commands.every((each) => each.kind !== 'act' || each.trouble !== 'disk');
      const isBad = last.some(([shape, servers]) => shape === world.badShape || servers === world.badServers);
      if (isBad) {
        expect(
          reports.some(({ outcome, version }) => outcome.kind === 'rejected' && version.revision === desired),
        ).toBe(true);
        if (disk.good !== undefined) expect(disk.main).not.toBe(desired);
        // The file of an earlier process may be newer than its last good one.
        const isAlone = commands.every(({ kind }) => kind !== 'crash' && kind !== 'edit');
        if (disk.good !== undefined && isAlone && isCopied) expect(disk.main).toBe(disk.good);
        return;
      }
      expect(disk.main).toBe(desired);
      expect(program.revision).toBe(desired);
      expect(program.content).toEqual(last);
      if (world.check === 'when-idle' && isCopied) expect(disk.good).toBe(desired);
    }),
    { numRuns: 2_000 },
  );
});

it('refused files are not used again, only proven ones are kept, and reloads are rate-limited', () => {
  fc.assert(
    fc.property(runs, ([world, commands, last]) => {
      expect(run(world, commands, last).left().wrong).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

it('each reload and each refusal is reported once', () => {
  fc.assert(
    fc.property(runs, ([world, commands, last]) => {
      const quiet = commands.filter(({ kind }) => kind !== 'crash');
      const { reports, verdicts, outcomes } = run(world, quiet, last).left();
      const kinds = reports.map(({ outcome }) => outcome);
      expect(kinds.filter(({ kind }) => kind === 'rejected').length).toBe(verdicts);
      const reloads = kinds.filter((each) => each.kind === 'reloaded' && each.atRunTime !== true);
      expect(reloads.length).toBe(outcomes);
    }),
    { numRuns: 1_000 },
  );
});

it('the revision of a single file is the hash of its bytes', () => {
  const set: Rendered = { text: 'a', mode: 0o644 };
  expect(revisionOf(set)).toMatch(/^ca978112/);
});

const policy: Policy = {
  check: 'when-idle',
  reloadEveryMs: 0,
  compare: (_, desired) => ({ changes: [{}], reload: [], running: desired }),
};

const versionOf = (text: string) => {
  const set: Rendered = { text, mode: 0o644 };
  return { set, revision: revisionOf(set), of: 0 };
};
const first = versionOf('first');
const second = versionOf('second');

/** Applies events at one point in time, and returns the last state and all actions. */
function after(events: readonly DeployEvent<number>[], rules: Policy = policy) {
  return events.reduce<{ state: Deploy<number>; actions: readonly DeployAction<number>[] }>(
    ({ state, actions }, event) => {
      const step = advance(state, event, 0, rules);
      return { state: step.state, actions: [...actions, ...step.actions] };
    },
    { state: initialDeploy(), actions: [] },
  );
}

/** `version` runs and is on disk; its check has begun. */
const served = (version: Version<number>): readonly DeployEvent<number>[] => {
  const { revision } = version;
  return [
    { kind: 'desired', version },
    { kind: 'disk-read', onDisk: { revision, isOwn: true }, running: revision },
  ];
};

const waiting: Deploy<number> = {
  ...initialDeploy(),
  desired: second,
  running: first,
  onDisk: { revision: second.revision, isOwn: true },
};

it('a runtime update is sent before the disk is read', () => {
  const { actions } = after([...served(first), { kind: 'desired', version: second }]);
  expect(actions.at(-1)).toMatchObject({ kind: 'update', from: first.revision, to: second });
});

it('a runtime update that preceded its file is confirmed once the file is written', () => {
  const { actions } = after([
    ...served(first),
    { kind: 'desired', version: second },
    { kind: 'updated', result: { is: 'done', stats: {} } },
    { kind: 'disk-read', onDisk: { revision: first.revision, isOwn: true } },
    { kind: 'written', result: { kind: 'valid' } },
  ]);
  expect(actions.at(-1)).toMatchObject({ kind: 'update', from: second.revision, to: second, changes: [] });
});

it('two versions refused at the same time are both reported', () => {
  const refusal = { kind: 'invalid', message: 'no', detail: '' } as const;
  const { actions } = after([
    { kind: 'desired', version: first },
    { kind: 'disk-read', onDisk: { revision: 'foreign', isOwn: false }, running: undefined },
    { kind: 'checked', version: second, outcome: refusal },
    { kind: 'written', result: refusal },
  ]);
  const refused = actions.flatMap((each) => (each.kind === 'report' ? [each.version.revision] : []));
  expect(refused).toEqual([second.revision, first.revision]);
});

it('a version that passes its check and is refused at each start is tried ever less often', () => {
  const onlyReloads: Policy = { check: 'before-write', reloadEveryMs: 0 };
  const rejection = { kind: 'rejected', by: 'reload', message: 'no', detail: '' } as const;
  let nowMs = 0;
  let { state } = after(served(first), onlyReloads);
  const on = (event: DeployEvent<number>): void => {
    state = advance(state, event, nowMs, onlyReloads).state;
  };
  on({ kind: 'desired', version: second });
  const pauses = Array.from({ length: 6 }, () => {
    on({ kind: 'tick' });
    if (state.doing?.kind === 'read-disk')
      on({ kind: 'disk-read', onDisk: { revision: first.revision, isOwn: true } });
    on({ kind: 'written', result: { kind: 'valid' } });
    on({ kind: 'reloaded', result: { is: 'refused', rejection } });
    on({ kind: 'restored', revision: first.revision });
    const untilMs = state.refused.get(second.revision)?.untilMs ?? Number.NaN;
    const pauseMs = untilMs - nowMs;
    nowMs = untilMs;
    return pauseMs;
  });
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000]);
});

it('a version that waits for its reload is checked at once, and again if that was impossible', () => {
  const waits = { ...policy, compare: undefined };
  const outcome = { kind: 'impossible', message: 'ENOENT' } as const;
  const checksAt = (state: Deploy<number>, nowMs: number) => {
    const step = advance(state, { kind: 'tick' }, nowMs, waits);
    return { ...step, checks: step.actions.filter(({ kind }) => kind === 'check').length };
  };
  const held = { ...waiting, mustReadDisk: false, reloadNotBeforeMs: 60_000, checkNotBeforeMs: 10_000 };
  const { state, checks } = checksAt(held, 1_000);
  expect(checks).toBe(1);
  const impossible = advance(state, { kind: 'checked', version: second, outcome }, 2_000, waits);
  expect([10_999, 11_000].map((nowMs) => checksAt(impossible.state, nowMs).checks)).toEqual([0, 1]);
});

it('a version that a check accepts is kept as good, although another one runs by then', () => {
  const { state, actions } = after([
    ...served(first),
    { kind: 'desired', version: second },
    { kind: 'updated', result: { is: 'done', stats: {} } },
    { kind: 'checked', version: first, outcome: { kind: 'valid' } },
  ]);
  expect(actions.filter(({ kind }) => kind === 'keep-as-good')).toEqual([
    { kind: 'keep-as-good', version: first },
  ]);
  expect(state.good).toBe(first.revision);
});

it('a check that ends late does not replace a newer version that was started since', () => {
  const { state, actions } = after(
    [
      ...served(first),
      { kind: 'desired', version: second },
      { kind: 'disk-read', onDisk: { revision: first.revision, isOwn: true } },
      { kind: 'written', result: { kind: 'valid' } },
      { kind: 'reloaded', result: { is: 'done', outcome: {} } },
      { kind: 'checked', version: first, outcome: { kind: 'valid' } },
    ],
    { ...policy, compare: undefined },
  );
  expect(actions.filter(({ kind }) => kind === 'keep-as-good')).toEqual([
    { kind: 'keep-as-good', version: second },
  ]);
  expect([state.good, state.valid]).toEqual([second.revision, second.revision]);
});

it('a version that is set again is remembered once, ahead of the others', () => {
  const { state } = after([first, second, first].map((version) => ({ kind: 'desired', version })));
  expect(state.candidates.map(({ revision }) => revision)).toEqual([first.revision, second.revision]);
});

it('an abandoned update makes the running version unknown; an abandoned disk read does not', () => {
  const update = after([
    ...served(first),
    { kind: 'desired', version: second },
    { kind: 'abandoned', message: 'newer' },
  ]);
  expect(update.state.running).toBeUndefined();
  const look = after([...served(first), { kind: 'abandoned', message: 'newer' }]);
  expect(look.state.running?.revision).toBe(first.revision);
});

it.each<[string, boolean, Partial<Deploy<number>>]>([
  ['on disk and not running', true, {}],
  ['being reloaded', false, { doing: { kind: 'reload', version: second, notBeforeMs: 0 } }],
  ['failing', false, { backoff: { failures: 1, untilMs: 0 } }],
  ['not on disk', false, { onDisk: { revision: first.revision, isOwn: true } }],
  ['running', false, { running: second }],
])('isHeld for a desired version that is %s: %s', (_what, isWaiting, changes) => {
  expect(isHeld({ ...waiting, ...changes })).toBe(isWaiting);
});
