import { expect, test } from 'vitest';
import type { ChangeRequest } from '../../../../src/haproxy/runtime/change.ts';
import type { ChangeOutcome } from '../../../../src/haproxy/runtime/line.ts';
import { advance } from '../../../../src/haproxy/supervise/advance.ts';
import type { Event, State } from '../../../../src/haproxy/supervise/state.ts';
import { processOf, proven, serving, started } from '../../../helpers/supervisor-model.ts';

const change = {
  from: 'sha-1',
  to: 'sha-2',
  changes: [{ kind: 'server' as const, server: 'b/s', wanted: null }],
};
const requested = (request: number, asked: ChangeRequest = change): Event => ({
  kind: 'change-requested',
  request,
  change: asked,
});
const made: ChangeOutcome = { kind: 'changed', commands: 1 };
const refused: ChangeOutcome = { kind: 'refused', reason: 'no' };
const changed = (outcome: ChangeOutcome, number = 1): Event => ({ kind: 'changed', number, outcome });
const atRunTime = { generation: 1, pid: processOf(1).pid, tookMs: 0, atRunTime: true };

test('the serving generation makes a change, and then serves the new file', () => {
  const machine = serving();
  expect(machine.send(requested(7))).toMatchObject([
    { kind: 'change', serving: { number: 1 }, request: { changes: change.changes } },
  ]);
  expect(machine.send(changed(made))).toEqual([
    { kind: 'answer', requests: [7], result: { ...atRunTime, commands: 1 } },
  ]);
  expect(machine.state.serving).toMatchObject({ number: 1, revision: 'sha-2' });
  expect(machine.state.changeCounts).toMatchObject({ made: 1, refused: 0 });
});

test('a file is kept as the last good one once its change reports it as good', () => {
  const machine = serving();
  machine.send(requested(7));
  expect(machine.send(changed(made)).map(({ kind }) => kind)).toEqual(['answer']);
  expect(machine.send(requested(8, { from: 'sha-2', to: 'sha-2', good: true, changes: [] }))).toEqual([
    { kind: 'answer', requests: [8], result: atRunTime },
    { kind: 'keep-last-good', revision: 'sha-2' },
  ]);
});

test('a proven file is kept as the last good one although another one runs by now', () => {
  const machine = serving();
  machine.send(requested(7));
  machine.send(changed(made));
  const actions = machine.send(requested(8, { from: 'sha-1', to: 'sha-1', good: true, changes: [] }));
  expect(actions).toMatchObject([
    { kind: 'answer', result: { running: 'sha-2' } },
    { kind: 'keep-last-good', revision: 'sha-1' },
  ]);
  expect(machine.state.serving?.revision).toBe('sha-2');
});

test('a change without commands only changes the running revision', () => {
  const machine = serving();
  const renamed = requested(8, { from: 'sha-1', to: 'sha-2', changes: [] });
  expect(machine.send(renamed)).toEqual([{ kind: 'answer', requests: [8], result: atRunTime }]);
  expect(machine.state.serving?.revision).toBe('sha-2');
});

test('an earlier failure ends once the replacing file is served', () => {
  const machine = serving();
  machine.send({ kind: 'requested', request: 1 });
  machine.send({ kind: 'state-saved' });
  machine.send({ kind: 'start-failed', number: 2, message: 'no' });
  machine.send({ kind: 'checked', failure: { stage: 'check', message: 'no' } });
  expect(machine.state.lastFailure).toMatchObject({ stage: 'check' });
  machine.send(requested(8, { from: 'sha-1', to: 'sha-2', changes: [] }));
  expect(machine.state.lastFailure).toBeUndefined();
});

test('a refused change is answered with the reason, and stops at it', () => {
  const machine = serving();
  machine.send(requested(7));
  expect(machine.send(changed(refused))).toMatchObject([
    { kind: 'answer', requests: [7], result: { stage: 'change', refused: 'no' } },
  ]);
  expect(machine.state.job).toBeUndefined();
  expect(machine.state.changeCounts).toMatchObject({ made: 0, refused: 1, lastRefusal: 'no' });
  // It may have been made in part.
  expect(machine.send(requested(8))).toMatchObject([
    { kind: 'answer', requests: [8], result: { stage: 'change', running: null } },
  ]);
});

test('a change from another revision is not made, and the next one is', () => {
  const machine = serving();
  machine.send({ kind: 'requested', request: 1 });
  machine.send(requested(7, { ...change, from: 'other' }));
  machine.send(requested(8));
  machine.send({ kind: 'state-saved' });
  machine.send({ ...started(2), revision: 'sha-1' } as Event);
  const actions = machine.send(proven(2)).filter(({ kind }) => kind !== 'keep-last-good');
  expect(actions.at(-2)).toMatchObject({
    kind: 'answer',
    requests: [7],
    result: { stage: 'change', running: 'sha-1' },
  });
  expect(actions.at(-1)).toMatchObject({ kind: 'change', serving: { number: 2 } });
});

test.each<readonly [string, Partial<State['serving']>]>([
  ['another file', { revision: 'other' }],
  ['its last good copy', { config: 'last-good' }],
])('a change is not made while HAProxy runs on %s', (_, difference) => {
  const machine = serving();
  if (machine.state.serving !== undefined)
    machine.state = { ...machine.state, serving: { ...machine.state.serving, ...difference } };
  expect(machine.send(requested(7))).toMatchObject([
    { kind: 'answer', requests: [7], result: { stage: 'change' } },
  ]);
});

test.each([
  ['the previous file', 'sha-1', 'change'],
  ['the new file', 'sha-2', 'answer'],
])(
  'a change that arrived while a generation was loading: the generation had read %s',
  (_, revision, action) => {
    const machine = serving();
    machine.send({ kind: 'requested', request: 1 });
    machine.send({ kind: 'state-saved' });
    expect(machine.send(requested(7))).toEqual([]);
    machine.send({ ...started(2), revision } as Event);
    const actions = machine.send(proven(2)).filter(({ kind }) => kind !== 'keep-last-good');
    expect(actions.at(-1)).toMatchObject(
      action === 'change' ? { kind: 'change', serving: { number: 2 } } : { kind: 'answer', requests: [7] },
    );
  },
);

test('a reload requested during a change starts after it', () => {
  const machine = serving();
  machine.send(requested(7));
  expect(machine.send({ kind: 'requested', request: 8 })).toEqual([]);
  expect(machine.send(changed(made)).map(({ kind }) => kind)).toEqual(['answer', 'save-state']);
});

test('a change whose generation died is made in the next one if that one read the previous file', () => {
  const machine = serving();
  machine.send(requested(7));
  machine.now += 20_000;
  machine.send({ kind: 'exited', number: 1, how: 'signal SIGKILL' });
  expect(machine.send(changed(refused))).toEqual([]);
  machine.send({ ...started(2), revision: 'sha-1' } as Event);
  expect(machine.send(proven(2)).at(-1)).toMatchObject({ kind: 'change', serving: { number: 2 } });
});

test('drift is repaired only when idle, and causes at most one reload', () => {
  const machine = serving();
  const drifted: Event = { kind: 'drifted', change: { ...change, to: 'sha-1' } };
  expect(machine.send(drifted)).toMatchObject([{ kind: 'change' }]);
  expect(machine.send(drifted)).toEqual([]);
  expect(machine.send(changed(refused))).toMatchObject([{ kind: 'save-state' }]);
  machine.send({ kind: 'state-saved' });
  machine.send({ ...started(2), revision: 'sha-1' } as Event);
  machine.send(proven(2));
  expect(machine.send(drifted)).toMatchObject([{ kind: 'change', serving: { number: 2 } }]);
  expect(machine.send(changed(refused, 2))).toEqual([]);
  machine.send(drifted);
  machine.send(changed(made, 2));
  expect(machine.state.changeCounts).toMatchObject({ made: 0, repaired: 1, refused: 2 });
});

test('drift that HAProxy keeps refusing is reported once', () => {
  const machine = serving();
  const told: string[] = [];
  const send = (event: Event) => {
    const { state, actions } = advance(machine.state, event, machine.now);
    machine.state = state;
    for (const action of actions) if (action.kind === 'log') told.push(action.event);
  };
  const drifted: Event = { kind: 'drifted', change: { ...change, to: 'sha-1' } };
  send(drifted);
  send(changed(refused));
  send({ kind: 'state-saved' });
  send({ ...started(2), revision: 'sha-1' } as Event);
  send(proven(2));
  for (let look = 0; look < 3; look += 1) {
    send(drifted);
    send(changed(refused, 2));
  }
  expect(told.filter((event) => event === 'change-refused')).toHaveLength(1);
  send(drifted);
  send(changed({ kind: 'refused', reason: 'another reason' }, 2));
  send(drifted);
  send(changed(made, 2));
  expect(told.slice(-2)).toEqual(['change-refused', 'drift-repaired']);
});

test('a stopping supervisor answers the waiting changes, and makes none', () => {
  const machine = serving();
  machine.send(requested(7));
  machine.send(requested(8));
  expect(machine.send({ kind: 'stop' })).toContainEqual(
    expect.objectContaining({ kind: 'answer', requests: [7, 8] }),
  );
  expect(machine.send(changed(made))).toEqual([]);
  expect(machine.send(requested(9))).toMatchObject([
    { kind: 'answer', requests: [9], result: { stage: 'stop' } },
  ]);
});
