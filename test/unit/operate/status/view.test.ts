import { expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import { type Row, wordsOf } from '../../../../src/engine/examine/section.ts';
import { statusLines } from '../../../../src/operate/status/view/status-lines.ts';
import { statusView } from '../../../../src/operate/status/view/status-view.ts';
import * as statuses from '../../../helpers/page/statuses.ts';
import type { ClusterStatus } from '../../../helpers/status-types.ts';

function partOf(status: ClusterStatus, id: string) {
  const [part] = statusView(status, statusProducts).sections.find((each) => each.id === id)?.parts ?? [];
  if (part === undefined) throw new Error(`expected a section ${id}`);
  return part;
}

const unranked = 'priority unknown';

const rowsOf = (status: ClusterStatus, id: string): readonly Row[] =>
  (partOf(status, id).tables ?? []).flatMap(({ rows }) => rows);

const shown = ({ name, cells }: Row) => [wordsOf(name), ...cells.map(wordsOf)];
const toneOf = ({ cells }: Row) =>
  cells.flat().flatMap((each) => (typeof each === 'object' && 'tone' in each ? each.tone : []))[0];

test('the holder is shown with its priority, and the others with what can be observed', () => {
  const { summary, age } = partOf(statuses.healthy(), 'vips');
  expect(summary).toEqual({ tone: 'good', words: 'held by cp-1' });
  expect(age).toBe('2 h');
  expect(rowsOf(statuses.healthy(), 'vips').map(shown)).toEqual([
    [
      'cp-1',
      'holder',
      '220 (place 1 of 3 in the list) + 0 (HAProxy serves) + 30 (it holds the VIP)',
      'priority 250',
    ],
    ['cp-2', 'unknown', '210 (its place in the list); seen from here: its HAProxy is ready', unranked],
    ['cp-3', 'unknown', '200 (its place in the list); seen from here: its HAProxy is ready', unranked],
  ]);
});

test('a node that cannot serve shows the reason', () => {
  const [here, holder] = rowsOf(statuses.failedOver(), 'vips');
  expect(here && shown(here)).toEqual([
    ...[
      'cp-1',
      'fault',
      '220 (place 1 of 3 in the list) − 254 (HAProxy does not serve); HAProxy: connection refused',
    ],
    'priority -34',
  ]);
  expect(here && toneOf(here)).toBe('bad');
  expect(holder && shown(holder)[1]).toBe('holder');
});

test('a silent program is never shown as healthy', () => {
  const [here, , stranger] = rowsOf(statuses.degraded(), 'vips');
  expect(here && shown(here)).toEqual([
    'cp-1',
    'holder',
    'keepalived-monitor does not answer',
    'priority 250',
  ]);
  expect(stranger && shown(stranger)).toEqual([
    ...['cp-3', 'unknown'],
    'seen from here: its HAProxy does not answer',
    unranked,
  ]);
  expect(stranger && toneOf(stranger)).toBe('idle');
  const nodes = rowsOf(statuses.degraded(), 'nodes');
  expect(nodes.map((row) => [toneOf(row), shown(row)[2]])).toEqual([
    ['bad', 'HAProxy usable'],
    ['good', 'HAProxy ready'],
    ['bad', 'HAProxy does not answer'],
  ]);
});

test('two holders and a missing holder are shown as bad', () => {
  const holderOf = (status: ClusterStatus) => partOf(status, 'vips').summary;
  expect(holderOf(statuses.splitBrain())).toEqual({ tone: 'bad', words: 'held by cp-1 and cp-2 at once' });
  const { vips, ...rest } = statuses.healthy();
  const none = { ...rest, vips: vips.map((each) => ({ ...each, holders: [] })) };
  expect(holderOf(none)).toEqual({ tone: 'bad', words: 'no holder seen' });
});

test('without an answer nothing is shown as healthy', () => {
  const view = statusView(statuses.nothingAnswers(), statusProducts);
  expect(view.verdict.words).toBe('Cannot tell');
  expect(view.cluster).toBeNull();
  expect(JSON.stringify(view)).not.toContain('"good"');
});

test('failing servers come first, and many healthy servers are folded', () => {
  const { summary, tables = [] } = partOf(statuses.manyServers(200), 'servers');
  expect(summary).toEqual({ tone: 'warn', words: '199 of 200 servers up' });
  expect(tables.map(({ rows, folded }) => [rows.length, folded])).toEqual([
    [1, undefined],
    [199, '199 that are up'],
  ]);
  expect(rowsOf(statuses.degraded(), 'servers').map((row) => shown(row)[0])).toEqual([
    'cp-3',
    'cp-1',
    'cp-2',
  ]);
});

test('a missing report, an empty list and a list without a server that is up are distinguished', () => {
  const summaryWith = (servers: ClusterStatus['here']['servers']) => {
    const status = statuses.healthy();
    return partOf({ ...status, here: { ...status.here, servers } }, 'servers').summary?.words;
  };
  const down = (statuses.healthy().here.servers ?? []).map((each) => ({ ...each, state: 'down' as const }));
  expect([summaryWith([]), summaryWith(down), summaryWith(null)]).toEqual([
    'HAProxy has no server',
    '0 of 3 servers up',
    'HAProxy does not answer',
  ]);
});

test('a draining generation shows its sessions, its deadline and the reason', () => {
  expect(rowsOf(statuses.degraded(), 'haproxy').map(shown)).toEqual([
    ['generation 7', 'serving', 'for 2 h', 'configuration 3f2a3f2a', '412 sessions'],
    [
      ...['generation 6', 'draining', 'for 40 s'],
      ...['ends within 2 min (now: soft-stop): a newer generation serves', '12 sessions'],
    ],
  ]);
  const failure = partOf(statuses.degraded(), 'haproxy').facts?.find(({ name }) => name === 'Last failure');
  expect(failure?.output).toContain("unknown keyword 'bad'");
});

test('serving the last good configuration is shown as a warning', () => {
  const status = statuses.healthy();
  const { haproxySupervisor } = status.here;
  const current = haproxySupervisor?.current;
  if (haproxySupervisor == null || current == null) throw new Error('the fixture has a generation');
  const here = { ...haproxySupervisor, current: { ...current, config: 'last-good' as const } };
  const odd = { ...status, here: { ...status.here, haproxySupervisor: here } };
  expect(partOf(odd, 'haproxy').summary).toEqual({
    tone: 'warn',
    words: 'serving the last good configuration',
  });
  expect(rowsOf(odd, 'haproxy').map((row) => shown(row)[3])).toEqual(['LAST GOOD configuration 3f2a3f2a']);
});

test('keepalived shows its configuration, its cluster and its last change', () => {
  const section = statusView(statuses.healthy(), statusProducts).sections.find(
    ({ id }) => id === 'keepalived',
  );
  expect(section?.parts).toEqual([
    {
      summary: { tone: 'good', words: 'running' },
      facts: [
        { name: 'Process', text: 'pid 5151 for 25 h, 0 restarts, configuration 9c419c41' },
        { name: 'Cluster', text: 'example' },
        { name: 'Last change', text: '25 h ago: nodes-changed, reloaded' },
      ],
    },
  ]);
});

test('a node that is MASTER without the address is not shown as the holder', () => {
  const { vips, ...rest } = statuses.healthy();
  const moved = { ...rest, vips: vips.map((each) => ({ ...each, holders: ['cp-2'] })) };
  const row = rowsOf(moved, 'vips').find(({ name }) => wordsOf(name) === 'cp-1');
  expect(row && [shown(row)[1], toneOf(row)]).toEqual(['MASTER, address not here', 'bad']);
});

test('a node with VIPs of both kinds shows the kind of each check', () => {
  const status = statuses.healthy();
  const monitor = status.here.keepalivedMonitor;
  const [api] = monitor?.priorities ?? [];
  if (monitor == null || api === undefined) throw new Error('the fixture has a VIP');
  const check = { check: 'other nodes', state: 'ok', message: 'cp-2 could serve', sinceMs: null } as const;
  const priorities = [
    { ...api, checks: [check] },
    { ...api, kind: 'ingress' as const, vips: ['10.0.0.200'], checks: [check] },
  ];
  const namesOf = (some: typeof priorities) => {
    const here = { ...status.here, keepalivedMonitor: { ...monitor, priorities: some } };
    const [row] = rowsOf({ ...status, here }, 'nodes');
    return row?.details?.map(({ name }) => name);
  };
  expect(namesOf(priorities)).toEqual(['API, other nodes', 'ingress, other nodes']);
  expect(namesOf(priorities.slice(0, 1))).toEqual(['other nodes']);
});

test('a summary has its colour on a terminal, on each of its lines', () => {
  const { vips, ...rest } = statuses.healthy();
  const linesOf = (holders: readonly string[]) => {
    const status = { ...rest, vips: vips.map((each) => ({ ...each, holders })) };
    return statusLines(status, statusProducts, { colours: true }).join('\n');
  };
  expect(linesOf([])).toContain(': \u001b[31mno holder seen\u001b[0m\n');
  const [one, other] = ['a', 'b'].map((letter) => letter.repeat(30));
  const split = linesOf([`${one}`, `${other}`]);
  expect(split).toContain(`: \u001b[31mheld by ${one} and\u001b[0m\n\u001b[31m${other} at once\u001b[0m\n`);
});
