import { describe, expect, test } from 'vitest';
import type { Event } from '../../../../src/haproxy/supervise/state.ts';
import {
  createMachine,
  exited,
  invalid,
  kindsOf,
  limits,
  processOf,
  prove,
  proven,
  refuse,
  serving,
  started,
  succeed,
  unchecked,
  valid,
  workersOf,
} from '../../../helpers/supervisor-model.ts';

const request = (number: number) => ({ kind: 'requested', request: number }) as const;

describe('start', () => {
  test('without a configuration, nothing happens until the first request', () => {
    const machine = createMachine();
    expect(machine.send({ kind: 'booted', hasConfiguration: false })).toEqual([]);
    expect(machine.send(request(1))).toEqual([{ kind: 'start', number: 1, config: 'live', takeOver: false }]);
  });

  test('with a configuration, it is started at once without a take-over, and proven', () => {
    const machine = createMachine();
    expect(machine.send({ kind: 'booted', hasConfiguration: true })).toEqual([
      { kind: 'start', number: 1, config: 'live', takeOver: false },
    ]);
    expect(machine.send(started(1))).toMatchObject([{ kind: 'prove', number: 1, timeoutMs: 10_000 }]);
    expect(kindsOf(machine.send(proven(1)))).toEqual(['keep-last-good']);
    expect(machine.state.serving).toMatchObject({ number: 1, config: 'live' });
  });

  test('a generation that an earlier supervisor was retiring gets the soft stop again', () => {
    const machine = serving();
    machine.send(request(1));
    succeed(machine);
    const next = createMachine({ retiring: machine.state.retiring });
    expect(kindsOf(next.send({ kind: 'booted', hasConfiguration: true }))).toEqual(['soft-stop', 'start']);
  });
});

describe('reload', () => {
  test('save state, start with a take-over, prove; only then answer, and only then retire', () => {
    const machine = serving();
    expect(kindsOf(machine.send(request(1)))).toEqual(['save-state']);
    expect(machine.send({ kind: 'state-saved' })).toMatchObject([
      { kind: 'start', number: 2, takeOver: true },
    ]);
    expect(kindsOf(machine.send(started(2)))).toEqual(['prove']);
    machine.now += 93;
    const actions = machine.send(proven(2));
    expect(kindsOf(actions)).toEqual(['answer', 'soft-stop', 'keep-last-good']);
    expect(actions[0]).toMatchObject({ requests: [1], result: { generation: 2, pid: 1_002, tookMs: 93 } });
    expect(machine.state.retiring).toMatchObject([
      { number: 1, reason: 'replaced', terminateAt: machine.now + limits.forceDeleteTimeoutMs },
    ]);
  });

  test("a start that ends early is answered with the check's message, or with how it ended", () => {
    for (const [verdict, result] of [
      [invalid, { stage: 'check', message: 'no', detail: 'line 3' }],
      [valid, { stage: 'start', message: expect.stringContaining('signal SIGKILL') }],
      [unchecked, { stage: 'unchecked', message: expect.stringMatching(/signal SIGKILL.*; no memory$/) }],
    ] as const) {
      const machine = serving();
      machine.send(request(1));
      machine.send({ kind: 'state-saved' });
      machine.send(started(2));
      expect(machine.send(exited(2))).toEqual([
        { kind: 'clean-up', number: 2, workers: [] },
        { kind: 'check', config: 'live' },
      ]);
      expect(machine.send(verdict)).toContainEqual({ kind: 'answer', requests: [1], result });
    }
  });

  test.each([
    ['of 10 MiB', { configBytes: 10 * 1024 * 1024 }],
    ['of 1 MiB with 2,100 certificates', { configBytes: 1024 * 1024, setFiles: 2_100 }],
  ])('a configuration %s has five times as long to serve as one of 2 MiB', (_, size) => {
    const machine = serving();
    machine.send(request(1));
    machine.send({ kind: 'state-saved' });
    const large = { ...started(2), ...size } as Event;
    expect(machine.send(large)).toMatchObject([{ kind: 'prove', timeoutMs: 5 * limits.startTimeoutMs }]);
    expect(machine.state.job?.stage).toMatchObject({ until: machine.now + 5 * limits.startTimeoutMs });
  });

  test('requests during a job lead to exactly one more job, which answers all of them', () => {
    const machine = serving();
    machine.send(request(1));
    for (const number of [2, 3, 4]) expect(machine.send(request(number))).toEqual([]);
    succeed(machine);
    expect(machine.actions.filter(({ kind }) => kind === 'save-state')).toHaveLength(2);
    machine.actions.length = 0;
    succeed(machine);
    expect(machine.actions).toContainEqual(
      expect.objectContaining({ kind: 'answer', requests: [2, 3, 4], result: expect.anything() }),
    );
    expect(machine.state.job).toBeUndefined();
  });

  test.each([
    ['a rejected file', [{ kind: 'state-saved' }, started(2), exited(2), invalid], 'check'],
    [
      'a failed start',
      [{ kind: 'state-saved' }, { kind: 'start-failed', number: 2, message: 'no' }, valid],
      'start',
    ],
    ['an end before the proof', [{ kind: 'state-saved' }, started(2), exited(2), valid], 'start'],
  ] as const)('%s is answered and does not affect the serving generation', (_, events, stage) => {
    const machine = serving();
    machine.send(request(1));
    const actions = events.flatMap((event) => machine.send(event));
    expect(actions).toContainEqual({
      kind: 'answer',
      requests: [1],
      result: expect.objectContaining({ stage }),
    });
    expect(kindsOf(actions)).not.toContain('soft-stop');
    expect(machine.state).toMatchObject({ serving: { number: 1 }, job: undefined, lastFailure: { stage } });
  });

  test('a generation without proof in time is retired, and a late proof is ignored', () => {
    const machine = serving();
    machine.send(request(1));
    for (const event of [{ kind: 'state-saved' } as const, started(2)]) machine.send(event);
    machine.now += limits.startTimeoutMs - 1;
    expect(machine.send({ kind: 'tick' })).toEqual([]);
    machine.now += 1;
    const actions = machine.send({ kind: 'tick' });
    expect(kindsOf(actions)).toEqual(['soft-stop', 'answer']);
    expect(actions).toMatchObject([
      { generation: { number: 2, reason: 'unproven' } },
      { result: { stage: 'prove' } },
    ]);
    expect(machine.send(proven(2))).toEqual([]);
    expect(machine.state.serving?.number).toBe(1);
  });
});

describe('death', () => {
  test('a death is followed at once by a start without a check', () => {
    const machine = serving();
    expect(machine.send(exited(1))).toEqual([
      { kind: 'clean-up', number: 1, workers: workersOf(1) },
      { kind: 'start', number: 2, config: 'live', takeOver: false },
    ]);
  });

  test('the pauses grow from 250 ms to 5 s, and are reset after ten good seconds', () => {
    const machine = serving();
    const pauses: number[] = [];
    for (let death = 0; death < 8; death += 1) {
      machine.send(exited(machine.state.serving?.number ?? 0));
      const diedAt = machine.now;
      if (machine.state.job === undefined) machine.tickAtDeadline();
      pauses.push(machine.now - diedAt);
      prove(machine);
    }
    expect(pauses).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    machine.now += 10_000;
    expect(kindsOf(machine.send(exited(machine.state.serving?.number ?? 0)))).toEqual(['clean-up', 'start']);
  });

  test('if its configuration has broken meanwhile, a dead generation is replaced with the last good copy', () => {
    const machine = serving();
    machine.send(exited(1));
    machine.send(started(2));
    machine.send(exited(2));
    expect(machine.send(valid)).toContainEqual({
      kind: 'start',
      number: 3,
      config: 'last-good',
      takeOver: false,
    });
    prove(machine);
    expect(machine.state).toMatchObject({
      serving: { config: 'last-good' },
      lastFailure: { stage: 'start' },
    });
    machine.send(request(1));
    succeed(machine);
    expect(machine.state).toMatchObject({ serving: { config: 'live' }, lastFailure: undefined });
  });

  test('a death during a job is repaired by that job', () => {
    const machine = serving();
    machine.send(request(1));
    expect(kindsOf(machine.send(exited(1)))).toEqual(['clean-up']);
    expect(machine.send({ kind: 'state-saved' })).toMatchObject([{ kind: 'start', takeOver: false }]);
    expect(prove(machine)).toBe(2);
  });

  test('without a last good copy, a configuration that does not start is retried after a pause', () => {
    const machine = createMachine();
    machine.send({ kind: 'booted', hasConfiguration: true });
    refuse(machine);
    expect(machine.state.restart).toEqual({ failures: 1, at: machine.now + 250 });
    expect(machine.tickAtDeadline()).toBe(true);
    expect(machine.actions.at(-1)).toMatchObject({ kind: 'start', number: 2, config: 'live' });
  });
});

describe('retirement', () => {
  test('sessions end over the last tenth, then SIGTERM, and SIGKILL five seconds later', () => {
    const machine = serving();
    machine.send(request(1));
    succeed(machine);
    const replacedAt = machine.now;
    machine.actions.length = 0;
    const seen: { readonly kind: string; readonly afterMs: number }[] = [];
    while (machine.tickAtDeadline()) {
      for (const { kind } of machine.actions.splice(0))
        seen.push({ kind, afterMs: machine.now - replacedAt });
    }
    const shedding = seen.filter(({ kind }) => kind === 'shed-sessions');
    expect(shedding.length).toBeGreaterThanOrEqual(19);
    expect(shedding[0]?.afterMs).toBe(108_000);
    expect(seen.filter(({ kind }) => kind === 'terminate' || kind === 'kill')).toEqual([
      { kind: 'terminate', afterMs: 120_000 },
      { kind: 'kill', afterMs: 125_000 },
    ]);
  });

  test('after a pause of the supervisor, SIGKILL still comes five seconds after SIGTERM', () => {
    const machine = serving();
    machine.send(request(1));
    succeed(machine);
    machine.now += limits.forceDeleteTimeoutMs + 60_000;
    expect(kindsOf(machine.send({ kind: 'tick' }))).toEqual(['terminate']);
    const terminatedAt = machine.now;
    machine.actions.length = 0;
    machine.tickAtDeadline();
    expect(kindsOf(machine.actions)).toEqual(['kill']);
    expect(machine.now - terminatedAt).toBe(5_000);
  });
});

describe('stop', () => {
  test('everything retires within the drain timeout, and all requests are answered', () => {
    const machine = serving();
    machine.send(request(1));
    machine.send(request(2));
    const actions = machine.send({ kind: 'stop' });
    expect(actions).toMatchObject([
      { kind: 'answer', requests: [1, 2], result: { stage: 'stop' } },
      {
        kind: 'give-notice',
        config: 'live',
        generation: { number: 1, reason: 'stopping', terminateAt: machine.now + 55_000 },
      },
    ]);
    expect(machine.send(request(3))).toMatchObject([
      { kind: 'answer', requests: [3], result: { stage: 'stop' } },
    ]);
    expect(machine.send(valid)).toEqual([]);
    expect(kindsOf(machine.send(exited(1)))).toEqual(['clean-up', 'finish']);
    expect(kindsOf(machine.send(exited(1)))).toEqual(['clean-up']);
  });

  test('a generation that honours its notice accepts for another second, any other stops at once', () => {
    const heeding = serving();
    const deaf = serving();
    for (const machine of [heeding, deaf]) machine.send({ kind: 'stop' });
    expect(deaf.send({ kind: 'notice-given', number: 1, heeded: false })).toMatchObject([
      { kind: 'soft-stop', generation: { number: 1, sent: 'soft-stop', terminateAt: deaf.now + 55_000 } },
    ]);
    expect(heeding.send({ kind: 'notice-given', number: 1, heeded: true })).toEqual([]);
    const toldAt = heeding.now;
    heeding.tickAtDeadline();
    expect(heeding.now - toldAt).toBe(1_000);
    expect(kindsOf(heeding.actions)).toEqual(['give-notice', 'soft-stop']);
    expect(heeding.state).toMatchObject({ forced: false, retiring: [{ terminateAt: toldAt + 55_000 }] });
    expect(kindsOf(heeding.send({ kind: 'notice-given', number: 1, heeded: false }))).toEqual([]);
  });

  test('a generation whose state is unknown after its notice still stops accepting', () => {
    const machine = serving({ limits: { ...limits, drainTimeoutMs: 1_000 } });
    machine.send({ kind: 'stop' });
    const toldAt = machine.now;
    machine.tickAtDeadline();
    expect(machine.now - toldAt).toBe(500);
    expect(kindsOf(machine.actions)).toEqual(['give-notice', 'soft-stop']);
  });

  test('a draining generation has at most the drain timeout left', () => {
    const machine = serving();
    machine.send(request(1));
    succeed(machine);
    machine.send({ kind: 'stop' });
    expect(machine.state.retiring.map(({ terminateAt }) => terminateAt - machine.now)).toEqual([
      55_000, 55_000,
    ]);
  });

  test('a second stop terminates draining generations and those with a notice', () => {
    const machine = serving();
    machine.send({ kind: 'stop' });
    expect(machine.send({ kind: 'stop' })).toMatchObject([{ kind: 'terminate', generation: { number: 1 } }]);
  });

  test('a stop during a proof retires the candidate; a stop without processes ends at once', () => {
    const machine = serving();
    machine.send(request(1));
    for (const event of [valid, { kind: 'state-saved' } as const, started(2)]) machine.send(event);
    machine.send({ kind: 'stop' });
    expect(machine.state.retiring.map(({ master }) => master)).toEqual([processOf(1), processOf(2)]);
    expect(kindsOf(createMachine().send({ kind: 'stop' }))).toEqual(['finish']);
  });
});
