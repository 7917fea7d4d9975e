import { afterEach, beforeEach, expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import { collectNodeStatus } from '../../../../src/operate/status/collect-node-status.ts';
import { type Page, type Pages, servePage, servePages } from '../../../helpers/status-pages.ts';
import { haproxyMonitorSays, keepalivedMonitorSays, routerSays } from '../../../helpers/status-samples.ts';
import { type NodeStatus, nodeStatusSchema, programNames } from '../../../helpers/status-types.ts';

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** Patient, because a busy machine is no dead process; what is dead refuses at once. */
const collect = async (pages: Pages, timeoutMs = 20_000) =>
  (await collectNodeStatus(
    await servePages(pages, stop.signal),
    statusProducts,
    stop.signal,
    timeoutMs,
  )) as NodeStatus;

test('what all four say, and the servers of HAProxy', async () => {
  const status = await collect({});
  expect(nodeStatusSchema.parse(status)).toEqual(status);
  expect(status.programs.map(({ name, state, problem }) => [name, state, problem])).toEqual(
    programNames.map((name) => [name, 'answers', null]),
  );
  expect(status.haproxyMonitor).toEqual(haproxyMonitorSays);
  expect(status.keepalivedMonitor).toEqual(keepalivedMonitorSays);
  expect(status.servers?.map(({ name, state }) => `${name} ${state}`)).toEqual([
    ...['cp-1 up', 'cp-2 down', 'cp-3 down', 'cp-4 maintenance', 'cp-5 draining'],
  ]);
});

test('where HAProxy does not tell the addresses of its servers, the monitor does', async () => {
  const { servers } = await collect({ statistics: 'without-addresses' });
  expect(servers?.map(({ address }) => address)).toEqual([
    ...['10.0.0.11:6443', '10.0.0.12:6443', '10.0.0.13:6443', '', ''],
  ]);
});

test.each(programNames)('without %s the others are there, and it is named', async (name) => {
  const status = await collect({ [name]: 'dead' });
  const dead = status.programs.find((program) => program.name === name);
  expect(dead).toMatchObject({ state: 'silent', problem: 'nothing listens there' });
  expect(dead?.address).toMatch(/^127\.0\.0\.1:\d+$/);
  const { haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor } = status;
  const all = [haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor];
  expect(all.map((each) => each === null)).toEqual(programNames.map((each) => each === name));
  expect(nodeStatusSchema.parse(status)).toEqual(status);
});

test('one that hangs is given up after its time, one that serves no page is not asked', async () => {
  const status = await collect({ 'keepalived-monitor': 'hung', 'haproxy-supervisor': 'off' }, 300);
  expect(status.programs).toMatchObject([
    { name: 'haproxy-supervisor', state: 'not-asked', address: null, problem: 'its --listen is off' },
    {},
    {},
    { name: 'keepalived-monitor', state: 'silent', problem: 'no answer within 300 ms' },
  ]);
});

test('another program at its address is no answer', async () => {
  const status = await collect({ 'haproxy-monitor': keepalivedMonitorSays });
  expect(status.haproxyMonitor).toBe(null);
  expect(status.programs[1]).toMatchObject({
    state: 'silent',
    problem: 'HTTP 200, and no status of this program',
  });
});

test('with all of it dead there is an answer all the same', async () => {
  const dead = Object.fromEntries(programNames.map((name) => [name, 'dead' as const]));
  const status = await collect({ ...dead, statistics: 'dead' });
  expect(status).toMatchObject({ haproxySupervisor: null, keepalivedMonitor: null, servers: null });
  expect(nodeStatusSchema.parse(status)).toEqual(status);
});

test('an instance has fields of its own, with what those of its programs say that have announced a page', async () => {
  const places = await servePages({}, stop.signal);
  const monitor = places.pages['haproxy-monitor'];
  if (monitor === undefined) throw new Error('Cannot find the page of the monitor, expected it');
  const statistics = { host: '127.0.0.1', port: places.statPort };
  const dead = await servePages({ 'haproxy-supervisor': 'dead' }, stop.signal);
  const supervisor = dead.pages['haproxy-supervisor'] ?? statistics;
  const pages = { 'haproxy-supervisor': supervisor, 'haproxy-monitor': monitor };
  const instances = [
    { name: 'b', pages: { ...pages, 'haproxy-statistics': statistics } },
    { name: 'router', pages: { 'haproxy-monitor': monitor } },
    { name: 'stranger', pages: { 'keepalived-monitor': monitor } },
  ];
  const found = async () => ({ instances, leftOut: ['a page is left out'] });
  const status = await collectNodeStatus(
    { ...places, instances: found },
    statusProducts,
    stop.signal,
    20_000,
  );
  expect(nodeStatusSchema.parse(status)).toEqual(status);
  expect(status.leftOut).toEqual(['a page is left out']);
  expect(status.instances).toMatchObject([
    {
      name: 'b',
      programs: [
        { name: 'haproxy-supervisor', state: 'silent', problem: 'nothing listens there' },
        { name: 'haproxy-monitor', state: 'answers' },
      ],
      ...{ haproxySupervisor: null, haproxyMonitor: haproxyMonitorSays },
      servers: expect.arrayContaining([expect.objectContaining({ name: 'cp-1', state: 'up' })]),
    },
    { name: 'router', programs: [{ name: 'haproxy-monitor' }], haproxySupervisor: null, servers: null },
  ]);
});

test('a node without instances says nothing of any', async () => {
  expect(await collect({})).not.toHaveProperty('instances');
});

test('of an instance, an answer that would be too long for the peers is none', async () => {
  const monitor = { ...haproxyMonitorSays, redirectProblem: 'x'.repeat(70_000) };
  const places = await servePages({ 'haproxy-monitor': monitor }, stop.signal);
  const page = places.pages['haproxy-monitor'];
  const pages = page === undefined ? {} : { 'haproxy-monitor': page };
  const instances = async () => ({ instances: [{ name: 'b', pages }], leftOut: [] });
  const { haproxyMonitor, ...status } = await collectNodeStatus(
    ...([{ ...places, instances }, statusProducts, stop.signal, 20_000] as const),
  ).then((each) => each as NodeStatus);
  expect(haproxyMonitor?.redirectProblem).toHaveLength(70_000);
  expect(status.instances).toMatchObject([
    { programs: [{ state: 'silent', problem: 'the answer is longer than 65536 bytes' }] },
  ]);
});

test("in a router's pod only the router and its HAProxy speak, and a page of another program is no router", async () => {
  const own = {
    'haproxy-supervisor': 'off',
    'haproxy-monitor': 'dead',
    'keepalived-supervisor': 'dead',
  } as const;
  const places = await servePages({ ...own, 'keepalived-monitor': 'dead', statistics: 'dead' }, stop.signal);
  const programsWith = async (router: Page, timeoutMs = 20_000) => {
    const pages = { ...places.pages, router: await servePage(router, stop.signal) };
    const here = { ...places, pages, isInstalled: false };
    return (await collectNodeStatus(here, statusProducts, stop.signal, timeoutMs)) as NodeStatus;
  };
  const well = await programsWith(routerSays);
  expect(nodeStatusSchema.parse(well)).toEqual(well);
  expect(well.router).toEqual(routerSays);
  expect(well.programs.map(({ name, state }) => `${name} ${state}`)).toEqual([
    ...['haproxy-supervisor not-asked', 'router answers'],
  ]);
  const hung = await programsWith('hung', 300);
  expect(hung.programs.map(({ name }) => name)).toEqual(['haproxy-supervisor', 'router']);
  expect(hung.router).toBeNull();
  const foreign = await programsWith({ not: 'a router' });
  expect(foreign.programs.map(({ name }) => name)).toEqual(programNames);
  expect(foreign).not.toHaveProperty('router');
});
