import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Backends, startBackends } from '../../helpers/load/start-backends.ts';
import { type Load, startLoad } from '../../helpers/load/start-load.ts';
import {
  createPodProxies,
  type PodProxies,
  type PodProxy,
  webPods,
  webTemplate,
} from '../../helpers/pod-proxy.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Those of the ten checks of ads-infra-haproxy's behaviour that clients notice: two proxies of one Deployment, under load. */
let world: PodProxies;
let [first, second]: PodProxy[] = [];
let backends: Backends;

const template = `${webTemplate}
listen stats
  bind :1936
  mode http
  stats enable
  stats uri /haproxy
`;
const pods = webPods;
const show = (count: number) =>
  world.show({ annotations: { 'hawser.dev/config': template }, pods: pods.slice(0, count) });
const proxies = (): readonly PodProxy[] => [first, second].filter((each) => each !== undefined);
const both = async (...servers: readonly string[]) =>
  void (await Promise.all(proxies().map((proxy) => proxy.serves(...servers))));

const pidsOfHaproxy = () =>
  Promise.all(proxies().map(async (proxy) => (await proxy.supervisor().waitForServing()).pid));

beforeAll(async () => {
  world = await createPodProxies(['haproxy-1', 'haproxy-2']);
  show(1);
  const { namespace, serving } = world.cluster;
  const served = pods.map(({ name, ip }) => ({ name, host: ip, port: 8_080 }));
  backends = await startBackends(namespace.prefix, served, serving);
  [first, second] = await Promise.all([world.start('haproxy-1', 29_452), world.start('haproxy-2', 29_453)]);
  await both('web-1');
});

afterAll(async () => {
  await backends?.[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function load(ratePerSecond: number, streams: number): Promise<Load> {
  return await startLoad(world.cluster.namespace.prefix, {
    host: '127.0.0.1',
    port: 8_000,
    ratePerSecond,
    timeoutMs: 5_000,
    streamRampMs: 100,
    streams,
    servers: pods.map(({ name }) => name),
    probe: null,
  });
}

test('check 4: every proxy follows pods that come and go without a reload, and no connection is lost', async () => {
  const pids = await pidsOfHaproxy();
  await using clients = await load(100, 0);
  for (const count of [2, 3, 1, 2]) {
    show(count);
    await both(...['web-1', 'web-2', 'web-3'].slice(0, count));
  }
  const { lost, ok, servers } = await clients.stop();
  expect(lost).toEqual({});
  expect(ok).toBeGreaterThan(0);
  expect(servers['web-1']).toBeGreaterThan(0);
  for (const proxy of proxies())
    expect(await proxy.metrics()).toMatch(/hawser_proxy_change_to_serving_seconds_count [1-9]/);
  expect(await pidsOfHaproxy()).toEqual(pids);
});

test('check 4: established connections stay with their pod, even a removed one, while others are added', async () => {
  await using clients = await load(0, 4);
  await waitFor('the streams to be open', async () => {
    const open = await Promise.all(proxies().map((proxy) => proxy.supervisor().status()));
    return open.reduce((sum, { current }) => sum + (current?.sessions ?? 0), 0) >= 4;
  });
  show(3);
  await both('web-1', 'web-2', 'web-3');
  show(1);
  await both('web-1');
  show(2);
  await both('web-1', 'web-2');
  expect((await clients.stop()).streams.cut).toBe(0);
});

test('check 6: a proxy that cannot apply a change says so, and applies it later without another change', async () => {
  await second?.stopSupervisor();
  show(3);
  await first?.serves('web-1', 'web-2', 'web-3');
  await second?.said('supervisor-unreachable');
  await waitFor(
    'its status to say so',
    async () => (await second?.status())?.lastChange?.result === 'unreachable',
  );
  await second?.startSupervisor();
  await both('web-1', 'web-2', 'web-3');
});

test('check 8: a killed HAProxy is restarted, and its death is reported', async () => {
  const before = await first?.supervisor().waitForServing();
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await first?.supervisor().waitForServing(before?.generation);
  expect(first?.supervisorEvents()).toContainEqual(
    expect.objectContaining({ event: 'generation-died', level: 'error' }),
  );
});

test('check 10: the statistics page from the annotation answers', async () => {
  const csv = await world.cluster.get('http://127.0.0.1:1936/haproxy;csv');
  expect(csv).toMatch(/^web,web-1,/m);
});
