import { expect, test } from 'vitest';
import { describeState } from '../../../../src/haproxy/supervise/status.ts';
import { supervisorStatusSchema } from '../../../../src/haproxy/supervise/supervisor-status.ts';
import { createMachine, refuse, serving, succeed } from '../../../helpers/supervisor-model.ts';

const noSessions = new Map<number, number>();

test('the status of every state matches the schema', () => {
  const machine = createMachine();
  const phases: string[] = [];
  const look = (): void => {
    const status = describeState(machine.state, new Map([[1, 3]]), machine.now);
    expect(supervisorStatusSchema.parse(JSON.parse(JSON.stringify(status)))).toEqual(status);
    phases.push(status.phase);
  };
  look();
  machine.send({ kind: 'requested', request: 1 });
  look();
  refuse(machine);
  look();
  machine.tickAtDeadline();
  succeed(machine);
  look();
  machine.send({ kind: 'stop' });
  look();
  machine.send({ kind: 'exited', number: 2, how: 'exit code 0' });
  look();
  expect(phases).toEqual([
    ...['waiting-for-configuration', 'starting', 'starting', 'serving', 'stopping', 'stopped'],
  ]);
});

test('each draining generation is listed with its age, sessions, deadline and reason', () => {
  const machine = serving();
  machine.send({ kind: 'requested', request: 1 });
  succeed(machine);
  machine.now += 20_000;
  const status = describeState(machine.state, new Map([[1, 7]]), machine.now);
  expect(status.current).toMatchObject({ generation: 2, workers: [2_002], ageMs: 20_000, sessions: null });
  expect(status.draining).toEqual([
    {
      generation: 1,
      pid: 1_001,
      workers: [2_001],
      ageMs: 20_000,
      sessions: 7,
      sent: 'soft-stop',
      terminateInMs: 100_000,
      reason: 'a newer generation serves',
    },
  ]);
});

test('a job, its waiting requests and the last failure are reported', () => {
  const machine = serving();
  machine.send({ kind: 'requested', request: 1 });
  refuse(machine);
  machine.now += 1_500;
  machine.send({ kind: 'requested', request: 2 });
  machine.send({ kind: 'requested', request: 3 });
  expect(describeState(machine.state, noSessions, machine.now)).toMatchObject({
    reload: { cause: 'request', stage: 'saving-state', waiting: 1 },
    lastFailure: { stage: 'check', message: 'no', detail: 'line 3', agoMs: 1_500 },
    restart: null,
  });
});
