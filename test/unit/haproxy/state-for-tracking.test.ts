import { expect, test } from 'vitest';
import { stateForTracking } from '../../../src/haproxy/state-for-tracking.ts';

const configuration = `global
backend masters
  default-server weight 256
  server a 10.0.0.1:6443 track checks/a
  server b 10.0.0.2:6443 weight 1 track checks/b # the second
backend checks
  server a 10.0.0.1:6443 check
  server b 10.0.0.2:6443 check
listen other
  server c 10.0.0.3:80 check
  server d 10.0.0.4:80 track c
`;
const head = '1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state\n';
const row = (server: string, operational: number) => {
  const [backend, name] = server.split('/');
  return `4 ${backend} 1 ${name} 10.0.0.1 ${operational} 0\n`;
};
const DOWN = 0;
const STARTING = 1;
const UP = 2;

test("without the tracked server's state, the tracking server's state is dropped", () => {
  expect(stateForTracking(configuration, head + row('masters/a', DOWN) + row('other/c', UP))).toBe(
    head + row('other/c', UP),
  );
});

test('a server keeps a state that it shares with its tracked server, and loses any other state', () => {
  const equal =
    head + row('masters/a', DOWN) + row('checks/a', DOWN) + row('checks/b', UP) + row('masters/b', UP);
  expect(stateForTracking(configuration, equal)).toBe(equal);
  expect(stateForTracking(configuration, head + row('masters/b', DOWN) + row('checks/b', UP))).toBe(
    head + row('checks/b', UP),
  );
});

test('a server in slow start continues it, unless its tracked server is down by then', () => {
  const warm = head + row('masters/a', STARTING) + row('checks/a', UP);
  expect(stateForTracking(configuration, warm)).toBe(warm);
  expect(stateForTracking(configuration, head + row('masters/a', STARTING) + row('checks/a', DOWN))).toBe(
    head + row('checks/a', DOWN),
  );
});

test("a server whose port differs in the file keeps its health and gets the file's port", () => {
  const at = (server: string, port: number) =>
    row(server, DOWN).replace('\n', ` 1 1 3 15 3 7 6 0 0 0 - ${port} - 0 0 - - 0\n`);
  const before = head + at('masters/a', 1) + at('masters/b', 1) + at('checks/a', 1) + at('checks/b', 1);
  const after =
    head + at('masters/a', 6443) + at('masters/b', 6443) + at('checks/a', 6443) + at('checks/b', 6443);
  expect(stateForTracking(configuration, before)).toBe(after);
});

test('a tracked server may be given without its backend', () => {
  expect(stateForTracking(configuration, head + row('other/c', UP) + row('other/d', DOWN))).toBe(
    head + row('other/c', UP),
  );
});

test('a state for a configuration without tracking is unchanged', () => {
  const state = head + row('masters/a', DOWN);
  expect(stateForTracking('backend masters\n  server a 10.0.0.1:6443 check\n', state)).toBe(state);
});

test.each([
  ['in maintenance', 1],
  ['in maintenance from the file', 5],
  ['draining', 8],
])('a server that is %s is in use again after a reload that has it', (_, admin) => {
  const configured = 'backend web\n  server a 10.0.0.1:80 check\n';
  const out = row('web/a', UP).replace(/ 0\n$/, ` ${admin}\n`);
  expect(stateForTracking(configured, head + out)).toBe(head);
});

test.each([
  ['in maintenance', 1, DOWN],
  ['draining', 8, UP],
])('a tracking server that is %s remains so across a reload', (_, admin, operational) => {
  const out = row('masters/a', operational).replace(/ 0\n$/, ` ${admin}\n`);
  const known = head + out + row('checks/a', UP);
  expect(stateForTracking(configuration, known)).toBe(known);
});

test('a server disabled in the previous file, but not in this one, starts slowly', () => {
  const fields = (state: string) => `4 masters 1 a 10.0.0.1 ${state} 256 256 SINCE 1 0\n`;
  const disabled = head + fields('0 5').replace('SINCE', '77') + row('checks/a', UP);
  const starting = head + fields('1 0').replace('SINCE', '0') + row('checks/a', UP);
  expect(stateForTracking(configuration, disabled)).toBe(starting);
  const down = head + fields('0 5').replace('SINCE', '77') + row('checks/a', DOWN);
  expect(stateForTracking(configuration, down)).toBe(head + row('checks/a', DOWN));
  const still = configuration.replace('track checks/a', 'track checks/a disabled');
  expect(stateForTracking(still, disabled)).toBe(disabled);
});
