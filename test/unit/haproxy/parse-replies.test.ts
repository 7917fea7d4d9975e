import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  clientSessions,
  infoNumber,
  masterPid,
  repliesIn,
  requestsIn,
} from '../../../src/haproxy/parse-replies.ts';
import { downServers } from '../../../src/haproxy/text/servers-state.ts';

/** Recorded replies of HAProxy 2.6.12, with two TCP sessions in backend "masters" and its server "dead" down. */
const recorded = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../fixtures/supervisor/${name}`, import.meta.url)), 'utf8');

test.each(['show-info.txt', 'stats-prompt-show-info.txt'])(
  'a number is read from %s, with or without a prompt',
  (file) => {
    expect(infoNumber(recorded(file), 'Pid')).toBeGreaterThan(1);
    expect(infoNumber(recorded(file), 'CurrConns')).toBe(3);
  },
);

test('a field whose name only ends the same is ignored', () => {
  expect(infoNumber('OtherPid: 7\nPid: 8\n', 'Pid')).toBe(8);
  expect(infoNumber('OtherPid: 7\n', 'Pid')).toBeUndefined();
  expect(infoNumber('', 'CurrConns')).toBeUndefined();
});

test('the master is distinguished from its workers', () => {
  const proc = recorded('show-proc.txt');
  expect(masterPid(proc)).toBe(Number(/^(\d+) +master/m.exec(proc)?.[1]));
  expect(masterPid('# workers\n42 worker 0 0d 2.6\n')).toBeUndefined();
});

test("client sessions are found, the CLI's own session is not", () => {
  const sessions = recorded('show-sess.txt');
  const found = clientSessions(sessions);
  expect(sessions).toContain('fe=GLOBAL');
  expect(found.map(({ server }) => server)).toEqual(['masters/cp-0', 'masters/cp-0']);
  for (const { id } of found) expect(sessions).toMatch(new RegExp(`^${id}: proto=tcpv4 .*fe=masters`, 'm'));
  expect(clientSessions('')).toEqual([]);
});

test('requests in progress are counted, idle TLS connections are not', () => {
  const row = (protocol: string, frontend: string, backend: string, server: string) =>
    `0x55: proto=${protocol} src=127.0.0.1:1 fe=${frontend} be=${backend} srv=${server} ts=00 epoch=0 age=2s\n`;
  const own = row('sockpair', 'GLOBAL', '<NONE>', '<none>');
  const idle = row('tcpv4', 'public_ssl', 'be_sni', 'fe_sni');
  const request = row('unix_stream', 'fe_sni', 'be_secure:a:b', 'pod:1');
  const passthrough = row('tcpv4', 'public_ssl', 'be_tcp:a:b', 'pod:1');
  expect(requestsIn(idle + own)).toBe(0);
  expect(requestsIn(idle + request + passthrough + own)).toBe(2);
  expect(requestsIn(recorded('show-sess.txt'))).toBe(2);
});

test("the number of requests is unknown if the reply does not list this command's session", () => {
  expect(requestsIn('')).toBeUndefined();
});

test('a server is down if its checks failed, and not if it was disabled', () => {
  const state = recorded('show-servers-state.txt');
  expect([...downServers(state)]).toEqual(['masters/dead']);
  const inMaintenance = state.replace('dead 127.0.0.1 0 0', 'dead 127.0.0.1 0 1');
  expect([...downServers(inMaintenance)]).toEqual([]);
});

test('an incomplete reply lists no server as down', () => {
  const state = recorded('show-servers-state.txt');
  for (const length of [0, 1, 200, state.length - 1])
    expect([...downServers(state.slice(0, length))]).toEqual([]);
});

test('there is one reply per command of a connection, or none', () => {
  const text =
    "New server registered.\n\n\nIP changed from '10.0.0.1' to '10.0.0.2'\n\n1\n# be_id\n2 web\n\n";
  const replies = [
    'New server registered.',
    '',
    "IP changed from '10.0.0.1' to '10.0.0.2'",
    '1\n# be_id\n2 web',
  ];
  expect(repliesIn(text, 4)).toEqual(replies);
  expect(repliesIn(text, 5)).toEqual([]);
  expect(repliesIn(text.slice(0, -1), 4)).toEqual([]);
  expect(repliesIn('', 1)).toEqual([]);
});
