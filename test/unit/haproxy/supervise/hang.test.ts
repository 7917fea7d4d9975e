import { expect, test } from 'vitest';
import type { Action, Hangs } from '../../../../src/haproxy/supervise/state.ts';
import {
  exited,
  kindsOf,
  type Machine,
  processOf,
  prove,
  refuse,
  serving,
  started,
  succeed,
} from '../../../helpers/supervisor-model.ts';

/** A generation counts as hung after this many polls, 200 ms apart. */
const LOOKS = 8;

function see(machine: Machine, number: number, looks: number, hangs?: Hangs): readonly Action[] {
  return Array.from({ length: looks }).flatMap(() => {
    machine.now += 200;
    return machine.send({ kind: 'polled', number, lives: hangs === undefined, ...(hangs && { hangs }) });
  });
}

const request = { kind: 'requested', request: 1 } as const;

test('a hung worker is reported and killed, and the next generation starts without a drain', () => {
  const machine = serving();
  expect(see(machine, 1, LOOKS - 1, 'worker')).toEqual([]);
  const actions = see(machine, 1, 1, 'worker');
  expect(kindsOf(actions)).toEqual(['report-hung', 'kill', 'start']);
  expect(actions).toMatchObject([{ hangs: 'worker', stillMs: 1_400 }, {}, { number: 2, takeOver: false }]);
  expect(kindsOf(machine.send(exited(1)))).toEqual(['clean-up']);
  expect(prove(machine)).toBe(2);
  expect(machine.state.retiring).toEqual([]);
});

test('any sign of life resets the count', () => {
  const machine = serving();
  for (let round = 0; round < 5; round += 1) {
    see(machine, 1, LOOKS - 1, 'worker');
    see(machine, 1, 1);
  }
  expect(machine.actions).toEqual([]);
});

test('a hung master with a serving worker is replaced by a take-over, and its worker drains', () => {
  const machine = serving();
  expect(kindsOf(see(machine, 1, LOOKS, 'master'))).toEqual(['report-hung', 'save-state']);
  succeed(machine);
  expect(machine.state).toMatchObject({
    serving: { number: 2 },
    retiring: [{ number: 1, sent: 'soft-stop' }],
  });
  expect(see(machine, 1, 2 * LOOKS, 'master')).toEqual([]);
  // The master does not notice that its worker has exited.
  expect(kindsOf(see(machine, 1, LOOKS, 'worker'))).toEqual(['report-hung', 'kill']);
});

test('a take-over from a hung master is retried after pauses until it succeeds', () => {
  const machine = serving();
  see(machine, 1, LOOKS, 'master');
  refuse(machine);
  expect(machine.state).toMatchObject({ serving: { number: 1 }, job: undefined, restart: { failures: 1 } });
  expect(see(machine, 1, LOOKS, 'master')).toEqual([]);
  machine.tickAtDeadline();
  succeed(machine);
  expect(machine.state.serving?.number).toBe(3);
});

test('a worker that hangs during a reload is killed, and the reload brings the next generation', () => {
  const machine = serving();
  for (const event of [request, { kind: 'state-saved' } as const, started(2)]) machine.send(event);
  expect(kindsOf(see(machine, 1, LOOKS, 'worker'))).toEqual(['report-hung', 'kill']);
  expect(machine.state.serving).toBeUndefined();
  machine.send({ kind: 'proven', number: 2, workers: [processOf(5)], isAlone: true });
  expect(machine.state.serving?.number).toBe(2);
});

test('a replaced generation that hangs is killed after the same number of failed polls', () => {
  const machine = serving();
  machine.send(request);
  see(machine, 1, LOOKS - 2, 'worker');
  succeed(machine);
  expect(kindsOf(see(machine, 1, 2, 'worker'))).toEqual(['report-hung', 'kill']);
  expect(see(machine, 1, 3 * LOOKS, 'worker')).toEqual([]);
});

test('a stop does not wait for a hung generation to drain', () => {
  const machine = serving();
  machine.send({ kind: 'stop' });
  expect(kindsOf(see(machine, 1, LOOKS, 'worker'))).toEqual(['report-hung', 'kill']);
  expect(kindsOf(machine.send(exited(1)))).toEqual(['clean-up', 'finish']);
});

test('an HAProxy that hangs repeatedly is restarted after growing pauses', () => {
  const machine = serving();
  const pauses: number[] = [];
  for (let hang = 0; hang < 4; hang += 1) {
    const number = machine.state.serving?.number ?? 0;
    see(machine, number, LOOKS, 'worker');
    const at = machine.now;
    machine.send(exited(number));
    if (machine.state.job === undefined) machine.tickAtDeadline();
    pauses.push(machine.now - at);
    prove(machine);
  }
  expect(pauses).toEqual([0, 250, 500, 1_000]);
});

/** Polls a generation whose worker has used this much CPU since an unanswered question. */
function run(machine: Machine, number: number, ...busyMs: readonly number[]): readonly Action[] {
  return busyMs.flatMap((ms) => {
    machine.now += 200;
    return machine.send({ kind: 'polled', number, lives: true, busyMs: ms });
  });
}

test('a worker that is busy for less than two seconds is not replaced', () => {
  expect(run(serving(), 1, 200, 900, 1_990)).toEqual([]);
});

test('a busy worker that answers before another generation has started ends the attempt', () => {
  const machine = serving();
  expect(kindsOf(run(machine, 1, 2_000))).toEqual(['report-busy', 'save-state']);
  expect(see(machine, 1, 1)).toEqual([]);
  expect(machine.send({ kind: 'state-saved' })).toEqual([]);
  expect(machine.state).toMatchObject({ serving: { number: 1 }, job: undefined });
});

test('a busy worker accepts the connections at its listeners before it drains', () => {
  const machine = serving();
  run(machine, 1, 2_000);
  succeed(machine);
  expect(machine.state).toMatchObject({ serving: { number: 2 }, retiring: [{ number: 1, sent: 'nothing' }] });
  expect(run(machine, 1, 5_000, 29_000)).toEqual([]);
  expect(see(machine, 1, 1)).toEqual([]);
  machine.tickAtDeadline();
  expect(kindsOf(machine.actions.slice(-2))).toContain('soft-stop');
  expect(machine.state.retiring).toMatchObject([{ number: 1, sent: 'soft-stop' }]);
});

test('a worker that is busy again does not stop before it answers again', () => {
  const machine = serving();
  run(machine, 1, 2_000);
  succeed(machine);
  see(machine, 1, 1);
  run(machine, 1, 2_000);
  machine.now += 60_000;
  machine.send({ kind: 'tick' });
  expect(machine.state.retiring).toMatchObject([{ number: 1, sent: 'nothing' }]);
});

test('a worker that spins for thirty seconds of CPU time is killed', () => {
  const machine = serving();
  run(machine, 1, 2_000);
  expect(kindsOf(run(machine, 1, 29_990))).toEqual([]);
  expect(kindsOf(run(machine, 1, 30_000))).toEqual(['report-hung', 'kill']);
});

test('a busy worker that stops making progress is killed like a hung one', () => {
  const machine = serving();
  run(machine, 1, 2_000);
  succeed(machine);
  expect(kindsOf(see(machine, 1, LOOKS, 'worker'))).toEqual(['report-hung', 'kill']);
});

test('successive busy workers lead to one start in ten seconds, and to at most three workers', () => {
  const machine = serving();
  const started = (): number => machine.actions.filter(({ kind }) => kind === 'start').length;
  for (let second = 0; second < 60; second += 1) {
    for (const { number } of [machine.state.serving, ...machine.state.retiring].filter((each) => !!each))
      run(machine, number, 2_000);
    if (machine.state.job !== undefined) succeed(machine);
    if (second === 5) expect(started()).toBe(1);
    machine.now += 1_000;
  }
  expect(started()).toBe(2);
});

test('a reload is answered once the listeners that were not handed over are closed', () => {
  const machine = serving();
  for (const event of [request, { kind: 'state-saved' } as const, started(2)]) machine.send(event);
  const workers = [processOf(5)];
  const proof = { kind: 'proven', number: 2, workers, isAlone: false } as const;
  expect(kindsOf(machine.send(proof))).toContain('wait-until-alone');
  expect(machine.actions.filter(({ kind }) => kind === 'answer')).toEqual([]);
  expect(machine.send({ kind: 'alone', number: 2 })).toMatchObject([
    { kind: 'answer', requests: [1], result: { generation: 2 } },
  ]);
});

test('during a stop, a reload that waits for listeners is answered at once', () => {
  const machine = serving();
  for (const event of [request, { kind: 'state-saved' } as const, started(2)]) machine.send(event);
  machine.send({ kind: 'proven', number: 2, workers: [processOf(5)], isAlone: false });
  const answers = machine.send({ kind: 'stop' }).filter(({ kind }) => kind === 'answer');
  expect(answers).toMatchObject([{ requests: [1], result: { generation: 2 } }]);
});
