import { expect, test } from 'vitest';
import { pageView } from '../../../../src/operate/page/view/page-view.ts';
import type { ClusterStatus } from '../../../../src/operate/status/node-status.ts';
import * as statuses from '../../../helpers/page/statuses.ts';

const nothing = { entries: [], isCut: false, problems: [] };
const viewOf = (status: ClusterStatus) => pageView(status, nothing, Date.parse(statuses.takenAt));

test('who holds the VIP comes with the sum that made it so, node by node, the highest first', () => {
  const [vip] = viewOf(statuses.healthy()).vips;
  expect(vip?.holder).toEqual({ tone: 'good', words: 'held by cp-1' });
  expect(vip?.heldFor).toBe('3 h');
  expect(vip?.ranks.map(({ node, state, priority }) => [node, state.words, priority])).toEqual([
    ['cp-1', 'holder', 250],
    ['cp-2', 'backup', 210],
    ['cp-3', 'backup', 200],
  ]);
  for (const { addends, priority } of vip?.ranks ?? [])
    expect(addends.reduce((sum, { points }) => sum + points, 0)).toBe(priority);
});

test('a node that cannot serve is last, and says why', () => {
  const [vip] = viewOf(statuses.failedOver()).vips;
  expect(vip?.ranks.at(-1)).toMatchObject({
    ...{ node: 'cp-1', state: { tone: 'bad', words: 'fault' }, priority: -34 },
    notes: ['HAProxy: connection refused'],
  });
});

test('of who says nothing of itself it says what is known, and never that it is well', () => {
  const view = viewOf(statuses.degraded());
  const [here, , stranger] = view.vips[0]?.ranks ?? [];
  expect(here).toMatchObject({ priority: 250, addends: [], notes: ['keepalived-monitor does not answer'] });
  expect(stranger).toMatchObject({ priority: null, state: { tone: 'unknown' } });
  expect(stranger?.notes).toEqual([
    'seen from here: its HAProxy does not answer; it publishes nothing (--peer-listen)',
  ]);
  expect(view.nodes.map(({ programs, haproxy }) => [programs.tone, haproxy.words])).toEqual([
    ['bad', 'usable'],
    ['good', 'usable'],
    ['unknown', 'does not answer'],
  ]);
});

test('two holders are bad, and so is none', () => {
  const holderOf = (status: ClusterStatus) => viewOf(status).vips[0]?.holder;
  expect(holderOf(statuses.splitBrain())).toEqual({ tone: 'bad', words: 'held by cp-1 and cp-2 at once' });
  const { vips, ...rest } = statuses.healthy();
  const none = { ...rest, vips: vips.map((each) => ({ ...each, holders: [] })) };
  expect(holderOf(none)).toEqual({ tone: 'bad', words: 'no holder seen' });
});

test('where nothing answers nothing is said to be well', () => {
  const view = viewOf(statuses.nothingAnswers());
  expect(view.title).toBe('Cannot tell · cp-1 · hawser');
  expect(view.cluster).toBeNull();
  expect(JSON.stringify(view)).not.toContain('"good"');
});

test('servers in trouble come first, whatever their number', () => {
  const { servers } = viewOf(statuses.manyServers(200));
  expect(servers.summary).toEqual({ tone: 'warn', words: '199 of 200 servers up' });
  expect(servers.troubled.map(({ name }) => name)).toEqual(['cp-200']);
  expect(servers.well).toHaveLength(199);
});

test('no server at all, none that is up, and no report are three things', () => {
  const summaryWith = (servers: ClusterStatus['here']['servers']) => {
    const status = statuses.healthy();
    return viewOf({ ...status, here: { ...status.here, servers } }).servers.summary.words;
  };
  const down = (statuses.healthy().here.servers ?? []).map((each) => ({ ...each, state: 'down' as const }));
  expect([summaryWith([]), summaryWith(down), summaryWith(null)]).toEqual([
    'HAProxy has no server',
    '0 of 3 servers up',
    'HAProxy does not answer',
  ]);
});

test('a generation that drains says how many are left, when it ends at the latest, and why', () => {
  const { generations, facts } = viewOf(statuses.degraded()).haproxy;
  expect(
    generations.map(({ number, state, sessions, note }) => [number, state.words, sessions, note]),
  ).toEqual([
    [7, 'serving', 538, 'configuration aaaaaaaa'],
    [6, 'draining', 12, 'ends within 2 min: a newer generation serves'],
  ]);
  expect(facts[0]?.detail).toContain("unknown keyword 'bad'");
});

test('the last good configuration is no normal one', () => {
  const status = statuses.healthy();
  const { haproxySupervisor } = status.here;
  const current = haproxySupervisor?.current;
  if (haproxySupervisor == null || current == null) throw new Error('the fixture has a generation');
  const here = { ...haproxySupervisor, current: { ...current, config: 'last-good' as const } };
  const { haproxy } = viewOf({ ...status, here: { ...status.here, haproxySupervisor: here } });
  expect(haproxy.summary).toEqual({ tone: 'warn', words: 'serving the last good configuration' });
  expect(haproxy.generations[0]?.note).toBe('LAST GOOD configuration aaaaaaaa');
});
