import { expect, test } from 'vitest';
import { CUT_SHORT_MS, KILL_AFTER_MS } from '../../../../src/haproxy/supervise/retire.ts';
import { describeState } from '../../../../src/haproxy/supervise/status.ts';
import { limits, type Machine, serving, succeed } from '../../../helpers/supervisor-model.ts';

/** A machine after this many reloads, a second apart, with sessions that keep every generation alive. */
function reloaded(times: number): Machine {
  const machine = serving();
  for (let time = 1; time <= times; time += 1) {
    machine.now += 1_000;
    machine.send({ kind: 'requested', request: time });
    succeed(machine);
  }
  machine.actions.length = 0;
  return machine;
}

const leftMs = ({ state, now }: Machine) =>
  new Map(state.retiring.map(({ number, terminateAt }) => [number, terminateAt - now]));
const cutShort = ({ state }: Machine) =>
  state.retiring.filter((generation) => generation.cutShort).map(({ number }) => number);

test('generations up to the limit drain for their whole time', () => {
  const machine = reloaded(limits.mostDraining);
  expect(cutShort(machine)).toEqual([]);
  expect(leftMs(machine).get(3)).toBe(limits.forceDeleteTimeoutMs);
});

test('one generation more cuts the oldest one short: its sessions end within seconds, then it is terminated', () => {
  const machine = reloaded(limits.mostDraining + 1);
  expect(cutShort(machine)).toEqual([1]);
  expect(leftMs(machine).get(1)).toBe(CUT_SHORT_MS);
  expect(leftMs(machine).get(2)).toBeGreaterThan(CUT_SHORT_MS);
  const shares: number[] = [];
  while (machine.state.retiring[0]?.sent === 'soft-stop') machine.tickAtDeadline();
  for (const action of machine.actions)
    if (action.kind === 'shed-sessions' && action.generation.number === 1) shares.push(action.share);
  expect(shares.length).toBeGreaterThan(10);
  expect(shares.at(0)).toBeLessThan(0.1);
  expect(machine.actions).toContainEqual(
    expect.objectContaining({ kind: 'terminate', generation: expect.objectContaining({ number: 1 }) }),
  );
  machine.now += KILL_AFTER_MS;
  machine.send({ kind: 'tick' });
  expect(machine.actions).toContainEqual(expect.objectContaining({ kind: 'kill' }));
});

test('a generation already cut short does not count: each further reload cuts one', () => {
  expect(cutShort(reloaded(limits.mostDraining + 2))).toEqual([1, 2]);
});

test('too much memory cuts short only as many of the oldest ones as necessary', () => {
  const machine = reloaded(3);
  const half = limits.mostDrainingBytes / 2;
  const bytes = (...each: readonly number[]) => new Map(each.map((size, index) => [index + 1, size]));
  machine.send({ kind: 'measured', bytes: bytes(half / 2, half / 2, half) });
  expect(cutShort(machine)).toEqual([]);
  machine.send({ kind: 'measured', bytes: bytes(half, half, half + 1) });
  expect(cutShort(machine)).toEqual([1, 2]);
  machine.send({ kind: 'measured', bytes: bytes(half, half, half + 1) });
  expect(cutShort(machine)).toEqual([1, 2]);
  machine.now += 1_000;
  const { draining, lastCutShort } = describeState(machine.state, new Map(), machine.now);
  expect(lastCutShort).toEqual({ generation: 2, limit: 'memory', agoMs: 1_000 });
  const [oldest] = draining;
  expect(oldest?.reason).toBe('a newer generation serves; draining generations use too much memory');
});

test('a stop that had to end sessions is forced; one without is not', () => {
  const gone = (machine: Machine) => machine.send({ kind: 'exited', number: 1, how: 'exit code 0' });
  const machines = [serving(), serving(), serving()] as const;
  const [patient, shed, terminated] = machines;
  for (const machine of machines) {
    machine.send({ kind: 'stop' });
    machine.send({ kind: 'notice-given', number: 1, heeded: false });
  }
  // Its time is almost over, and it has no sessions left to end.
  patient.tickAtDeadline();
  shed.send({ kind: 'sessions-ended', number: 1, ended: 1, for: 'time' });
  while (terminated.state.retiring[0]?.sent === 'soft-stop') terminated.tickAtDeadline();
  for (const machine of machines) gone(machine);
  expect(machines.map(({ state }) => [state.phase, state.forced])).toEqual([
    ['stopped', false],
    ['stopped', true],
    ['stopped', true],
  ]);
});

test('a stop with only idle connections left ends them after six seconds, and is not forced', () => {
  const machine = serving();
  const counts = () => machine.actions.filter(({ kind }) => kind === 'count-requests').length;
  machine.send({ kind: 'stop' });
  const stoppedAt = machine.now;
  machine.send({ kind: 'notice-given', number: 1, heeded: false });
  while (counts() === 0) machine.tickAtDeadline();
  expect(machine.now - stoppedAt).toBe(6_000);
  for (const requests of [undefined, 3]) machine.send({ kind: 'requests-counted', number: 1, requests });
  expect(machine.state.retiring).toMatchObject([{ sent: 'soft-stop' }]);
  machine.tickAtDeadline();
  expect([counts(), machine.now - stoppedAt]).toEqual([2, 7_000]);
  machine.send({ kind: 'requests-counted', number: 1, requests: 0 });
  expect(machine.state.retiring).toMatchObject([{ sent: 'terminate' }]);
  machine.send({ kind: 'exited', number: 1, how: 'exit code 0' });
  expect([machine.state.phase, machine.state.forced]).toEqual(['stopped', false]);
});

test('a stop ends a generation without requests, and no other that drains', () => {
  const machine = reloaded(1);
  machine.send({ kind: 'stop' });
  machine.send({ kind: 'notice-given', number: 2, heeded: true });
  while (machine.actions.every(({ kind }) => kind !== 'count-requests')) machine.tickAtDeadline();
  machine.send({ kind: 'requests-counted', number: 1, requests: 0 });
  const sent = machine.state.retiring.map((generation) => [generation.number, generation.sent]);
  expect(sent).toEqual([
    [1, 'terminate'],
    [2, 'soft-stop'],
  ]);
});

test('a replaced generation with only idle connections is not ended while another serves', () => {
  const machine = reloaded(1);
  machine.send({ kind: 'requests-counted', number: 1, requests: 0 });
  machine.tickAtDeadline();
  expect(machine.state.retiring).toMatchObject([{ number: 1, sent: 'soft-stop' }]);
  expect(machine.actions.filter(({ kind }) => kind === 'count-requests')).toEqual([]);
});

test('a generation that was ended before the stop does not make the stop forced', () => {
  const machine = reloaded(1);
  while (machine.state.retiring.some(({ sent }) => sent === 'soft-stop')) machine.tickAtDeadline();
  expect(machine.state.forced).toBe(false);
});
