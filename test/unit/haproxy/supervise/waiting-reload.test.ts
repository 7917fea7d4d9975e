import { expect, test } from 'vitest';
import { nextDeadline } from '../../../../src/haproxy/supervise/advance.ts';
import type { Event } from '../../../../src/haproxy/supervise/state.ts';
import { describeState } from '../../../../src/haproxy/supervise/status.ts';
import {
  createMachine,
  exited,
  kindsOf,
  type Machine,
  proven,
  started,
  succeed,
} from '../../../helpers/supervisor-model.ts';

const request = (number: number): Event => ({ kind: 'requested', request: number });
const change = (number: number, from: string): Event => ({
  ...{ kind: 'change-requested', request: number },
  change: { from, to: 'sha-2', checked: true, changes: [{ kind: 'server', server: 'b/s', wanted: null }] },
});

/** Its HAProxy has started in no time, 20 ms ago. */
function justStarted(): Machine {
  const machine = createMachine();
  machine.send({ kind: 'booted', hasConfiguration: true });
  machine.send(started(1));
  machine.send(proven(1));
  machine.now += 20;
  machine.actions.length = 0;
  return machine;
}

function waiting(): Machine {
  const machine = justStarted();
  expect(machine.send(request(1))).toEqual([]);
  return machine;
}

test('a reload that is asked for 20 ms after a start begins after 30 more, with all that were asked for meanwhile', () => {
  const machine = waiting();
  expect(nextDeadline(machine.state)).toBe(machine.now + 30);
  expect(describeState(machine.state, new Map(), machine.now).reload).toEqual({
    ...{ cause: 'request', stage: 'waiting', waiting: 1 },
  });
  machine.now += 29;
  expect(machine.send(request(2))).toEqual([]);
  machine.now += 1;
  expect(kindsOf(machine.send({ kind: 'tick' }))).toEqual(['save-state']);
  succeed(machine);
  expect(machine.actions).toContainEqual(expect.objectContaining({ kind: 'answer', requests: [1, 2] }));
});

test('a generation that dies while a reload waits is replaced at once, by that reload', () => {
  const machine = waiting();
  expect(machine.send(exited(1))).toEqual([
    { kind: 'clean-up', number: 1 },
    { kind: 'start', number: 2, config: 'live', takeOver: false },
  ]);
  succeed(machine);
  expect(machine.actions).toContainEqual(expect.objectContaining({ kind: 'answer', requests: [1] }));
  expect(machine.state.job).toBeUndefined();
});

test('a stop answers a reload that waits', () => {
  const machine = waiting();
  expect(machine.send({ kind: 'stop' })[0]).toMatchObject({
    ...{ kind: 'answer', requests: [1], result: { stage: 'stop' } },
  });
});

test('a change that comes while a reload waits is made by the new generation, where that lacks it', () => {
  const machine = waiting();
  expect(machine.send(change(2, 'sha-2'))).toEqual([]);
  machine.tickAtDeadline();
  machine.actions.length = 0;
  succeed(machine);
  expect(kindsOf(machine.actions).filter((kind) => kind === 'answer')).toHaveLength(2);
});

test('a change of another file than the one that is served is a reload, which waits as well', () => {
  const machine = justStarted();
  expect(machine.send(change(1, 'other'))).toEqual([]);
  machine.now += 30;
  expect(kindsOf(machine.send({ kind: 'tick' }))).toEqual(['save-state']);
  succeed(machine);
  expect(machine.actions).toContainEqual(expect.objectContaining({ kind: 'answer', requests: [1] }));
});

test('a restart that is due is the reload that waits', () => {
  const machine = waiting();
  machine.state = { ...machine.state, restart: { ...machine.state.restart, at: machine.now } };
  expect(machine.send({ kind: 'tick' })).toEqual([]);
  expect(nextDeadline(machine.state)).toBe(machine.now + 30);
  machine.tickAtDeadline();
  expect(machine.state.job).toMatchObject({ cause: 'request', requests: [1] });
  expect(machine.state.restart.at).toBeUndefined();
});
