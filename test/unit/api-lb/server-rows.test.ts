import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseStatisticsPage } from '../../../src/api-lb/server-rows.ts';

/** Output of HAProxy 2.6.12, with servers of every kind and a status line that contains a comma and quotes. */
const csv = readFileSync(new URL('../../fixtures/supervisor/statistics.csv', import.meta.url), 'utf8');

const serversIn = (text: string) => parseStatisticsPage(text)?.servers;

test("the API servers are listed with their state and HAProxy's message about the last check", () => {
  expect(serversIn(csv)).toEqual([
    {
      name: 'cp-1',
      address: '127.0.0.1:29779',
      state: 'up',
      sinceMs: 4_000,
      sessions: 0,
      check: 'L7OK/200 in 0ms: Layer7 check passed',
    },
    {
      name: 'cp-2',
      address: '127.0.0.1:29780',
      state: 'down',
      sinceMs: 4_000,
      sessions: 0,
      check: 'L7STS/500 in 4ms: Layer7 wrong status, etcd, "gone" away',
    },
    {
      name: 'cp-3',
      address: '[::1]:2',
      state: 'down',
      sinceMs: 4_000,
      sessions: 0,
      check: 'L4CON in 0ms: Layer4 connection problem, Connection refused',
    },
    {
      name: 'cp-4',
      address: '127.0.0.1:29778',
      state: 'maintenance',
      sinceMs: 4_000,
      sessions: 0,
      check: 'not checked',
    },
    {
      name: 'cp-5',
      address: '127.0.0.1:29778',
      state: 'draining',
      sinceMs: 0,
      sessions: 0,
      check: 'not checked',
    },
  ]);
});

test('an invalid number is read as 0, not as null', () => {
  const garbled = csv.replace(/^(masters,cp-1,0,0,)0,/m, '$1x,');
  expect(garbled).not.toBe(csv);
  expect(serversIn(garbled)?.[0]).toMatchObject({ name: 'cp-1', sessions: 0 });
});

test('other backends are listed if the API servers are missing, and a check in progress is ignored', () => {
  const renamed = csv.replaceAll('masters,', 'apiservers,').replace(',L4CON,', ',* L4TOUT,');
  const rows = serversIn(renamed);
  expect(rows?.map(({ name }) => name)).toEqual(['cp-9', 'cp-1', 'cp-2', 'cp-3', 'cp-4', 'cp-5']);
  expect(rows?.[0]).toMatchObject({ state: 'unchecked' });
  expect(rows?.[3]?.check).toMatch(/^L4TOUT in 0ms: /);
});

test.each([
  ['UP 1/3', 'up'],
  ['DOWN 2/6', 'down'],
  ['DOWN (agent)', 'down'],
  ['MAINT (via masters/cp-1)', 'maintenance'],
  ['NOLB', 'draining'],
  ['no check', 'unchecked'],
])('%s counts as %s', (status, state) => {
  expect(serversIn(csv.replace(',UP,1,1,0,0,', `,${status},1,1,0,0,`))?.[0]?.state).toBe(state);
});

test('a down server with passing checks is shown as rising', () => {
  const rising = csv.replace(/^(masters,cp-1,.*?),UP,(.*)$/m, '$1,DOWN 2/6,$2');
  expect(serversIn(rising)?.[0]).toMatchObject({
    state: 'down',
    check: 'L7OK/200 in 0ms: Layer7 check passed, good check 2 of 6',
  });
  const falling = csv.replace(/^(masters,cp-2,.*?),DOWN,(.*)$/m, '$1,DOWN 1/6,$2');
  expect(serversIn(falling)?.[1]?.check).not.toContain('good check');
});

test('a page without statistics has no servers', () => {
  expect(serversIn('<html>')).toBe(undefined);
  expect(serversIn('')).toBe(undefined);
});

test('a tracking server shows the check of the tracked server, and its own state and sessions', () => {
  const tracking = `# pxname,svname,scur,status,lastchg,tracked,type,check_status,check_code,check_duration,check_desc,last_chk,addr
masters,cp-1,7,DOWN 3/6,9,masters_checks/cp-1,2,,,,,,10.0.0.1:6443,
masters_checks,cp-1,0,DOWN 3/6,8,,2,L7OK,200,4,Layer7 check passed,,10.0.0.1:6443,
`;
  expect(serversIn(tracking)).toEqual([
    {
      name: 'cp-1',
      address: '10.0.0.1:6443',
      state: 'down',
      sinceMs: 9_000,
      sessions: 7,
      check: 'L7OK/200 in 4ms: Layer7 check passed, good check 3 of 6',
    },
  ]);
});

test('the servers of an extra port are listed separately, with their own checks', () => {
  const page = `# pxname,svname,scur,status,lastchg,tracked,type,check_status,check_code,check_duration,check_desc,last_chk,addr
masters,cp-1,7,UP,9,,2,L7OK,200,4,,,10.0.0.1:6443,
extra_rke2,cp-1,1,DOWN,2,extra_rke2_checks/cp-1,2,,,,,,10.0.0.1:9345,
extra_rke2_checks,cp-1,0,DOWN,2,,2,L4CON,,0,Layer4 connection problem,,10.0.0.1:9345,
`;
  expect(parseStatisticsPage(page)).toMatchObject({
    servers: [{ name: 'cp-1', address: '10.0.0.1:6443' }],
    extraPorts: [
      {
        name: 'rke2',
        servers: [{ address: '10.0.0.1:9345', state: 'down', check: expect.stringContaining('L4CON') }],
      },
    ],
  });
});

test.each([
  ['NOLB', 'set aside after an unanswered probe, or stopping'],
  ['DRAIN', 'being drained'],
])('a server that gets no new connections is recognized: %s', (status, words) => {
  const changed = csv.replace(/^(masters,cp-1,.*?),UP,(.*)$/m, `$1,${status},$2`);
  expect(serversIn(changed)?.[0]).toMatchObject({
    state: 'draining',
    check: `L7OK/200 in 0ms: Layer7 check passed, ${words}`,
  });
});
