import { afterEach, beforeEach, expect, test } from 'vitest';
import { statusProducts } from '../../../../src/commands/status-products.ts';
import {
  collectClusterStatus,
  collectNodeStatus,
} from '../../../../src/operate/status/collect-cluster-status.ts';
import { type Page, type Pages, servePage, servePages } from '../../../helpers/status-pages.ts';
import { haproxyMonitorSays, keepalivedMonitorSays, routerSays } from '../../../helpers/status-samples.ts';
import { type NodeStatus, nodeStatusSchema, programNames } from '../../../helpers/status-types.ts';

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** Long, because a slow process on a busy machine is not dead; a dead one refuses at once. */
const collect = async (pages: Pages, timeoutMs = 20_000) =>
  (await collectNodeStatus(
    await servePages(pages, stop.signal),
    statusProducts,
    stop.signal,
    timeoutMs,
  )) as NodeStatus;

test("the status combines all four programs and HAProxy's servers", async () => {
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

test('server addresses come from the monitor if HAProxy does not report them', async () => {
  const { servers } = await collect({ statistics: 'without-addresses' });
  expect(servers?.map(({ address }) => address)).toEqual([
    ...['10.0.0.11:6443', '10.0.0.12:6443', '10.0.0.13:6443', '', ''],
  ]);
});

test.each(programNames)('without %s the other programs answer, and it is reported', async (name) => {
  const status = await collect({ [name]: 'dead' });
  const dead = status.programs.find((program) => program.name === name);
  expect(dead).toMatchObject({ state: 'silent', problem: 'nothing listens there' });
  expect(dead?.address).toMatch(/^127\.0\.0\.1:\d+$/);
  const { haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor } = status;
  const all = [haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor];
  expect(all.map((each) => each === null)).toEqual(programNames.map((each) => each === name));
  expect(nodeStatusSchema.parse(status)).toEqual(status);
});

test('a hung program is abandoned after its timeout, and one without a page is not queried', async () => {
  const status = await collect({ 'keepalived-monitor': 'hung', 'haproxy-supervisor': 'off' }, 300);
  expect(status.programs).toMatchObject([
    { name: 'haproxy-supervisor', state: 'not-asked', address: null, problem: 'its --listen is off' },
    {},
    {},
    { name: 'keepalived-monitor', state: 'silent', problem: 'no answer within 300 ms' },
  ]);
});

test("an answer from another program at a program's address does not count", async () => {
  const status = await collect({ 'haproxy-monitor': keepalivedMonitorSays });
  expect(status.haproxyMonitor).toBe(null);
  expect(status.programs[1]).toMatchObject({
    state: 'silent',
    problem: 'HTTP 200, and no status of this program',
  });
});

test('the status is complete even if every program is dead', async () => {
  const dead = Object.fromEntries(programNames.map((name) => [name, 'dead' as const]));
  const status = await collect({ ...dead, statistics: 'dead' });
  expect(status).toMatchObject({ haproxySupervisor: null, keepalivedMonitor: null, servers: null });
  expect(nodeStatusSchema.parse(status)).toEqual(status);
});

test('a worker has no keepalived and does not query the nodes of the API servers', async () => {
  const { pages, statPort } = await servePages({}, stop.signal);
  const ofHaproxy = Object.entries(pages).filter(([name]) => name.startsWith('haproxy'));
  const settings = {
    pages: Object.fromEntries(ofHaproxy),
    statPort,
    healthPort: 1,
    nodeName: 'cp-1',
    apiVips: [],
    ingressVips: [],
    worker: true,
    timeout: 20_000,
  };
  const { here, peers, problems } = await collectClusterStatus(settings, statusProducts, stop.signal);
  expect(nodeStatusSchema.parse(here)).toEqual(here);
  expect(here.programs.map(({ name }) => name)).toEqual(['haproxy-supervisor', 'haproxy-monitor']);
  expect(peers).toEqual([]);
  expect(problems.filter((text) => /keepalived|VIP/.test(text))).toEqual([]);
});

test("in a router's pod only the router answers, and another program's page is not a router", async () => {
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
  expect(well.programs.map(({ name, state }) => `${name} ${state}`)).toEqual(['router answers']);
  const hung = await programsWith('hung', 300);
  expect(hung.programs.map(({ name }) => name)).toEqual(['router']);
  expect(hung.router).toBeNull();
  const foreign = await programsWith({ not: 'a router' });
  expect(foreign.programs.map(({ name }) => name)).toEqual(programNames);
  expect(foreign).not.toHaveProperty('router');
});
