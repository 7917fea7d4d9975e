import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openProcessRecord } from '../../../../src/engine/supervise/process-record.ts';
import { recordOf, recordSchema } from '../../../../src/haproxy/supervise/record.ts';
import type { State } from '../../../../src/haproxy/supervise/state.ts';
import { prove, serving, started, succeed, valid } from '../../../helpers/supervisor-model.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const epoch = 'boot/1';
let dir: string;
let path: string;
let complaints: object[];

beforeEach(() => {
  dir = testFolder();
  path = join(dir, 'record.json');
  complaints = [];
});
const open = () => openProcessRecord(path, recordSchema, (event) => complaints.push(event), epoch);
const recorder = () => {
  const { write } = open();
  return (state: State) => write(recordOf(state));
};

/** A draining, a serving, and an unproven generation. */
function busyState() {
  const machine = serving();
  machine.send({ kind: 'requested', request: 1 });
  succeed(machine);
  machine.send({ kind: 'requested', request: 2 });
  for (const event of [valid, { kind: 'state-saved' } as const]) machine.send(event);
  return machine;
}

test('a record is read back with every generation and its role', () => {
  const { state } = busyState();
  recorder()(state);
  expect(open().read()).toEqual(recordOf(state));
  expect(open().read()?.generations).toMatchObject([
    { role: 'serving', number: 2, master: { pid: 1_002, startTicks: 2 } },
    { role: 'starting', number: 3 },
    { role: 'retiring', number: 1, terminateAt: expect.any(Number) },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['record.json']);
});

test('a generation is recorded before its process exists, and with its process once it does', () => {
  const machine = busyState();
  const starting = () => recordOf(machine.state).generations.find(({ role }) => role === 'starting');
  expect(starting()).toEqual(expect.not.objectContaining({ master: expect.anything() }));
  machine.send(started(3));
  expect(starting()?.master).toEqual({ pid: 1_003, startTicks: 3 });
});

test('a state with unchanged processes is not written', () => {
  const machine = busyState();
  const keep = recorder();
  keep(machine.state);
  const { ino } = statSync(path);
  machine.send({ kind: 'requested', request: 3 });
  keep(machine.state);
  expect(statSync(path).ino).toBe(ino);
  prove(machine);
  keep(machine.state);
  expect(statSync(path).ino).not.toBe(ino);
});

test('a record removed by another program is written again', () => {
  const machine = busyState();
  const keep = recorder();
  keep(machine.state);
  rmSync(path);
  keep(machine.state);
  expect(readdirSync(dir)).toEqual(['record.json']);
});

test('a record that cannot be written is reported once, and written once it can be', () => {
  const machine = busyState();
  mkdirSync(`${path}.new`);
  const keep = recorder();
  keep(machine.state);
  keep(machine.state);
  expect(complaints).toMatchObject([{ event: 'record-not-written', level: 'error', path }]);
  rmSync(`${path}.new`, { recursive: true });
  keep(machine.state);
  expect(open().read()?.nextNumber).toBe(4);
});

test.each([
  ['damaged', '{"epoch":"boot/1","next'],
  ['empty', ''],
  ['of another shape', '{"epoch":"boot/1","nextNumber":"2","generations":[]}'],
  ['of another boot', '{"epoch":"boot/2","nextNumber":2,"generations":[]}'],
])('a record that is %s is ignored', (_, text) => {
  writeFileSync(path, text);
  expect(open().read()).toBeUndefined();
});

test('a missing record file is empty and not an error', () => {
  expect(open().read()).toBeUndefined();
});
