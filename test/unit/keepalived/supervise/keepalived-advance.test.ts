import { describe, expect, test } from 'vitest';
import { advance } from '../../../../src/keepalived/supervise/advance.ts';
import {
  configurationOf,
  createWorld,
  eventsOf,
  kindsOf,
  running,
} from '../../../helpers/keepalived-world.ts';

const unchecked = { stage: 'unchecked', message: 'it did not finish' } as const;

describe('start', () => {
  test('leftovers are cleaned up while the configuration is validated, then keepalived starts', () => {
    const world = createWorld();
    expect(kindsOf(world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined }))).toEqual([
      'reap',
      'check',
    ]);
    expect(world.send({ kind: 'accepted', check: 1, configuration: configurationOf(1) })).toEqual([]);
    expect(kindsOf(world.send({ kind: 'reaped' }))).toEqual(['sweep']);
    world.settle();
    expect(world.state.daemon.kind).toBe('up');
  });

  test('a VIP that cannot be removed blocks the start, and the removal is retried', () => {
    const world = createWorld();
    world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined });
    world.send({ kind: 'accepted', check: 1, configuration: configurationOf(1) });
    world.send({ kind: 'reaped' });
    expect(world.send({ kind: 'swept', removed: [], trouble: 'ip is missing' })).toEqual([]);
    world.now += 500;
    expect(kindsOf(world.send({ kind: 'tick' }))).toEqual(['sweep']);
  });

  test('a VIP that stays is logged once, and a stop is answered with the reason', () => {
    const world = running();
    const death = deathOf(world);
    world.send({ kind: 'requested', what: 'stop', request: 7 });
    world.send(death);
    world.send({ kind: 'reaped' });
    const swept = { kind: 'swept', removed: [], trouble: 'ip is missing' } as const;
    world.actions.length = 0;
    world.send(swept);
    world.now += 500;
    world.send({ kind: 'tick' });
    world.send(swept);
    expect(eventsOf(world.actions).filter((event) => event === 'stale-vip-not-removed')).toHaveLength(1);
    expect(world.actions.filter(({ kind }) => kind === 'answer')).toMatchObject([
      { requests: [7], result: { stage: 'stop', message: expect.stringContaining('ip is missing') } },
    ]);
  });

  test('a silent keepalived counts as up after three seconds, and its dump is requested', () => {
    const world = createWorld();
    world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined });
    for (let step = 0; step < 3; step += 1) world.play({ kind: 'finish', which: 0, well: true });
    expect(world.state.daemon.kind).toBe('starting');
    world.play({ kind: 'tick' });
    expect(world.state.daemon.kind).toBe('up');
    expect(kindsOf(world.actions)).toContain('ask');
    world.settle();
    expect(world.state.instances).toMatchObject([{ name: 'API', state: 'MASTER' }]);
  });

  test('keepalived starts with the last accepted copy if its configuration is refused or cannot be checked', () => {
    for (const failure of [unchecked, { stage: 'check', message: 'no' } as const]) {
      const world = createWorld({ configuration: configurationOf(4) });
      world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined });
      world.send({ kind: 'refused', check: 1, failure });
      world.send({ kind: 'reaped' });
      expect(kindsOf(world.send({ kind: 'swept', removed: [], trouble: undefined }))).toEqual(['start']);
    }
  });

  test('an adopted keepalived is queried and reloaded, and never started a second time', () => {
    const adopted = { pid: 77, startTicks: 1 };
    const world = createWorld({ configuration: configurationOf(4) });
    expect(kindsOf(world.send({ kind: 'booted', hasConfiguration: true, adopted }))).toEqual([
      'ask',
      'check',
    ]);
    expect(world.send({ kind: 'accepted', check: 1, configuration: configurationOf(5) })).toMatchObject([
      { kind: 'reload', id: adopted },
    ]);
  });
});

describe('reload', () => {
  test("a refused configuration changes nothing, and the answer contains keepalived's output", () => {
    const world = running();
    const { daemon, configuration } = world.state;
    world.play({ kind: 'request', what: 'reload' });
    const actions = world.send({
      kind: 'refused',
      check: 2,
      failure: { stage: 'check', message: 'no', detail: 'line 3' },
    });
    expect(actions).toMatchObject([{ kind: 'answer', requests: [1], result: { detail: 'line 3' } }]);
    expect(world.state).toMatchObject({ daemon, configuration, lastFailure: { detail: 'line 3' } });
  });

  test('a configuration that could not be checked is not reported as refused', () => {
    const world = running();
    const { daemon, configuration } = world.state;
    world.play({ kind: 'request', what: 'reload' });
    expect(world.send({ kind: 'refused', check: 2, failure: unchecked })).toMatchObject([
      { kind: 'answer', requests: [1], result: unchecked },
    ]);
    expect(world.state).toMatchObject({ daemon, configuration, lastFailure: unchecked });
    expect(eventsOf(world.actions)).toEqual(['configuration-not-applied']);
  });

  test('the answer waits until keepalived shows the new configuration, not an older one', () => {
    const world = running();
    const { daemon } = world.state;
    if (daemon.kind !== 'up') throw new Error('Cannot reload: it is not up');
    world.play({ kind: 'request', what: 'reload' });
    world.play({ kind: 'finish', which: 0, well: true });
    const report = [{ name: 'API', state: 'MASTER' as const, priority: 220 }];
    expect(world.send({ kind: 'reported', askedAt: world.now, id: daemon.id, number: 1, report })).toEqual(
      [],
    );
    expect(
      world.send({ kind: 'reported', askedAt: world.now, id: daemon.id, number: 2, report }),
    ).toMatchObject([
      { kind: 'keep-last-good' },
      { kind: 'answer', requests: [1], result: { generation: 2, pid: daemon.id.pid } },
    ]);
  });

  test('a line read since the dump was requested takes precedence over the dump, and a later dump over the line', () => {
    const world = running();
    const { daemon } = world.state;
    if (daemon.kind !== 'up') throw new Error('Cannot reload: it is not up');
    world.play({ kind: 'request', what: 'reload' });
    world.play({ kind: 'finish', which: 0, well: true });
    const askedAt = world.now;
    const report = [{ name: 'API', state: 'FAULT' as const, priority: 193 }];
    const dump = { kind: 'reported', id: daemon.id, number: 2, report } as const;
    world.now += 1;
    world.send({ kind: 'notified', instance: 'API', state: 'BACKUP', priority: 200, trackValue: 0 });
    world.now += 1;
    expect(kindsOf(world.send({ ...dump, askedAt }))).toContain('answer');
    expect(world.state.instances).toMatchObject([{ name: 'API', state: 'BACKUP', priority: 200 }]);
    world.send({ ...dump, askedAt: world.now });
    expect(world.state.instances).toMatchObject([{ name: 'API', state: 'FAULT', priority: 193 }]);
  });

  test('the outcome of an abandoned check is ignored', () => {
    const world = running();
    world.play({ kind: 'request', what: 'reload' });
    world.play({ kind: 'request', what: 'stop' });
    world.play({ kind: 'request', what: 'start' });
    expect(world.send({ kind: 'refused', check: 2, failure: { stage: 'check', message: 'no' } })).toEqual([]);
    expect(
      world.send({ kind: 'refused', check: 3, failure: { stage: 'check', message: 'no' } }),
    ).toMatchObject([{ kind: 'answer', requests: [3], result: { stage: 'check' } }]);
  });

  test('requests during a reload lead to exactly one further reload', () => {
    const world = running();
    for (let request = 0; request < 4; request += 1) world.play({ kind: 'request', what: 'reload' });
    world.settle();
    expect(kindsOf(world.actions).filter((kind) => kind === 'reload')).toHaveLength(2);
    expect(world.answered.size).toBe(4);
  });
});

describe('death', () => {
  test("a dead holder's VIP stays until a peer has taken over, then is removed, then keepalived starts", () => {
    const world = running();
    expect(kindsOf(world.send(deathOf(world)))).toEqual(['reap']);
    expect(world.state.instances).toMatchObject([{ state: 'STOP' }]);
    expect(world.send({ kind: 'reaped' })).toEqual([]);
    world.now += 600;
    expect(kindsOf(world.send({ kind: 'tick' }))).toEqual(['sweep']);
    expect(kindsOf(world.send({ kind: 'swept', removed: [], trouble: undefined }))).toEqual(['start']);
  });

  test('cleanup after a keepalived that held no VIP is immediate', () => {
    const world = running();
    world.send({ kind: 'notified', instance: 'API', state: 'BACKUP', priority: 220, trackValue: 0 });
    world.send(deathOf(world));
    expect(kindsOf(world.send({ kind: 'reaped' }))).toEqual(['sweep']);
  });

  test('a line that is read after the death of keepalived does not make the node a holder', () => {
    const world = running();
    world.send(deathOf(world));
    world.send({ kind: 'notified', instance: 'API', state: 'MASTER', priority: 220, trackValue: 0 });
    expect(world.state.instances).toMatchObject([{ state: 'STOP' }]);
  });

  test('a change of priority changes no state, and is ignored for an unknown instance', () => {
    const world = running();
    const told = { kind: 'notified', priority: 190, trackValue: -30 } as const;
    world.send({ ...told, instance: 'API', state: 'FAULT' });
    world.send({ ...told, instance: 'API', state: undefined, priority: 160 });
    world.send({ ...told, instance: 'OTHER', state: undefined });
    expect(world.state.instances).toMatchObject([{ name: 'API', state: 'FAULT', priority: 160 }]);
  });

  test('each consecutive death makes the pause longer', () => {
    const world = running();
    const pauses: number[] = [];
    for (let death = 0; death < 4; death += 1) {
      world.send({ kind: 'notified', instance: 'API', state: 'BACKUP', priority: 220, trackValue: 0 });
      const before = world.now;
      world.send(deathOf(world));
      world.settle();
      pauses.push(world.now - before);
    }
    expect(pauses).toEqual([0, 250, 500, 1_000]);
    expect(world.state.restarts).toBe(4);
  });
});

describe('stop', () => {
  test('keepalived resigns, leftover VIPs are removed, then the request is answered', () => {
    const world = running();
    world.play({ kind: 'request', what: 'stop' });
    expect(kindsOf(world.actions)).toEqual(['terminate']);
    world.play({ kind: 'die' });
    world.play({ kind: 'finish', which: 0, well: true });
    expect(world.answered.size).toBe(0);
    world.play({ kind: 'finish', which: 0, well: true });
    expect(world.answered.get(1)).toBe(1);
    expect(world.state).toMatchObject({ phase: 'running', wanted: 'down', daemon: { kind: 'none' } });
  });

  test('a stopped keepalived does not start with the next configuration', () => {
    const world = running();
    world.play({ kind: 'request', what: 'stop' });
    world.play({ kind: 'request', what: 'reload' });
    world.settle();
    expect(world.state).toMatchObject({ wanted: 'down', daemon: { kind: 'none' } });
  });

  test('a keepalived that does not end is killed after its timeout, or at the second signal', () => {
    for (const move of [{ kind: 'wait', ms: 2_200 }, { kind: 'stop' }] as const) {
      const world = running();
      world.play({ kind: 'stop' });
      world.play(move);
      expect(kindsOf(world.actions).filter((kind) => kind !== 'log')).toEqual(['terminate', 'kill']);
      expect(eventsOf(world.actions)).toEqual(['stopping', 'keepalived-killed']);
    }
  });

  test('a keepalived that ends slowly, as on a starved node, is not killed', () => {
    const world = running();
    world.play({ kind: 'stop' });
    world.play({ kind: 'wait', ms: 2_000 });
    expect(kindsOf(world.actions)).not.toContain('kill');
  });

  test('a keepalived that ended before its kill is not reported as killed', () => {
    const world = running();
    const { daemon } = world.state;
    if (daemon.kind !== 'up') throw new Error('it does not run');
    const asked = advance(world.state, { kind: 'stop' }, world.now);
    const late = advance(asked.state, { kind: 'tick' }, world.now + 5_000);
    const gone = advance(
      late.state,
      { kind: 'exited', id: daemon.id, how: 'exit code 0' },
      world.now + 5_001,
    );
    expect(kindsOf(late.actions)).toEqual(['kill']);
    const told = eventsOf([...late.actions, ...gone.actions]);
    expect(told).toContain('keepalived-gone');
    expect(told).not.toContain('keepalived-killed');
  });
});

test('the reason of an unexpected exit with code 0 names both possible causes', () => {
  const world = running();
  const { daemon } = world.state;
  if (daemon.kind !== 'up') throw new Error('it does not run');
  world.send({ kind: 'exited', id: daemon.id, how: 'exit code 0' });
  expect(world.state.lastTransition?.reason).toBe(
    'keepalived ended with exit code 0, as after SIGTERM or the end of its VRRP process',
  );
});

test('a transition is logged with its states and the reason', () => {
  const world = running();
  world.send({ kind: 'notified', instance: 'API', state: 'FAULT', priority: 220, trackValue: -254 });
  expect(world.state.lastTransition).toMatchObject({
    instance: 'API',
    from: 'MASTER',
    to: 'FAULT',
    reason: 'the track file says that this node cannot serve (-254)',
  });
});

test.each([
  [
    { kind: 'outranked', instance: 'API', by: '10.0.0.12', theirs: 220, ours: 120 },
    { state: 'BACKUP', cause: 'outranked', reason: '10.0.0.12 has priority 220, this node 120' },
  ],
  [
    { kind: 'outranked', instance: 'API', by: '10.0.0.12', theirs: 210, ours: 210 },
    {
      state: 'BACKUP',
      cause: 'outranked',
      reason: '10.0.0.12 has the same priority, 210, and the higher address',
    },
  ],
  [
    { kind: 'outranked', instance: 'INGRESS', by: '10.0.0.12', theirs: 220, ours: 120 },
    {
      state: 'BACKUP',
      cause: 'outranked',
      reason: 'a node with a higher priority took over, or the address was removed',
    },
  ],
  [
    { kind: 'address-removed', address: '10.0.0.5', interface: 'eth0' },
    {
      state: 'BACKUP',
      cause: 'address-removed',
      reason: '10.0.0.5 was removed from eth0 by another program',
    },
  ],
  [
    { kind: 'interface-down', interface: 'eth0' },
    { state: 'FAULT', cause: 'interface-down', reason: 'interface eth0 is down' },
  ],
  [
    { kind: 'track-file-fault', instance: 'API' },
    {
      state: 'FAULT',
      cause: 'cannot-serve',
      reason: 'the track file says that this node cannot serve (-254)',
    },
  ],
] as const)('its reason is what keepalived printed just before: %o', (words, { state, cause, reason }) => {
  const toldAfter = (ms: number) => {
    const world = running();
    world.send({ kind: 'log-line', words });
    world.now += ms;
    world.send({ kind: 'notified', instance: 'API', state, priority: 120, trackValue: 0 });
    return transitionsOf(world);
  };
  expect(toldAfter(1_000)).toMatchObject([{ cause, reason }]);
  expect(toldAfter(1_001)).toMatchObject([
    { reason: expect.stringMatching(/^an? (interface is down, or|node with)/) },
  ]);
});

test.each([
  ['a holder whose interface goes down', 'MASTER', { kind: 'interface-down', interface: 'eth0' }, true],
  ['a holder that cannot serve', 'MASTER', { kind: 'track-file-fault', instance: 'API' }, false],
  ['a backup whose interface goes down', 'BACKUP', { kind: 'interface-down', interface: 'eth0' }, false],
] as const)('unsent data of %s is discarded only if its link is gone', (_who, from, words, is) => {
  const world = running();
  world.send({ kind: 'notified', instance: 'API', state: from, priority: 120, trackValue: 0 });
  world.send({ kind: 'log-line', words });
  expect(
    world.send({ kind: 'notified', instance: 'API', state: 'FAULT', priority: 120, trackValue: 0 }),
  ).toEqual(is ? [{ kind: 'discard-unsent', interfaces: ['eth0'] }] : []);
});

test("an instance's states during a reload are attributed to the reload", () => {
  const world = running();
  world.play({ kind: 'request', what: 'reload' });
  world.play({ kind: 'finish', which: 0, well: true });
  world.send({ kind: 'notified', instance: 'API', state: 'BACKUP', priority: 220, trackValue: 0 });
  world.send({ kind: 'notified', instance: 'API', state: 'MASTER', priority: 220, trackValue: 0 });
  expect(transitionsOf(world)).toMatchObject([{ cause: 'reload' }, { cause: 'reload' }]);
});

function transitionsOf({ actions }: ReturnType<typeof running>): readonly object[] {
  return actions.flatMap((action) =>
    action.kind === 'log' && action.event === 'vrrp-transition' ? [action.fields] : [],
  );
}

function deathOf({ state: { daemon } }: { readonly state: ReturnType<typeof running>['state'] }) {
  if (daemon.kind !== 'up') throw new Error(`Cannot end keepalived: it is ${daemon.kind}`);
  return { kind: 'exited', id: daemon.id, how: 'signal SIGKILL' } as const;
}
