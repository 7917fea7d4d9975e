import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { haproxyMonitorStatusSchema } from '../../../../src/api-lb/haproxy-monitor-status.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import type { Cluster, ClusterNode } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { defaultLoadBalancerSettings } from '../../../helpers/load-balancer-settings.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;
let second: ClusterNode;

beforeEach(async () => {
  cluster = await createTestedCluster(3);
  second = cluster.nodes[1] as ClusterNode;
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await Promise.all(cluster.nodes.map(cluster.startServer));
});

const page = (path: string) => cluster.get(`http://127.0.0.1:29446${path}`);
const shown = async () =>
  Object.fromEntries(
    [...(await page('/metrics')).matchAll(/^hawser_server_up\{server="(.+)"\} (\d)$/gm)].map(
      ([, name, value]) => [name, value],
    ),
  );
const transitions = () =>
  balancer
    .monitorEvents()
    .filter(({ event, server }) => event === 'server-transition' && server === 'cp-2')
    .map(({ from, to, check }) => [from, to, check]);

test("a failed server check is logged in HAProxy's words, and so is the recovery", async () => {
  const journal = `${cluster.dir}/journal`;
  await balancer.startSupervisor();
  balancer.startMonitor('--journal', journal);
  await waitFor('three servers to be up', async () => Object.values(await shown()).join('') === '111');
  await cluster.setFaults(second, { notReady: true });
  await waitFor('it to be down', () => transitions().length > 0);
  expect(transitions()).toEqual([
    ['up', 'down', expect.stringMatching(/^L7STS\/500 in \d+ms: Layer7 wrong status/)],
  ]);
  await waitFor('the metric', async () => (await shown())['cp-2'] === '0');
  await cluster.setFaults(second, {});
  await waitFor('it to be up', () => transitions().length > 1);
  expect(transitions()[1]).toEqual(['down', 'up', expect.stringMatching(/^L7OK\/200/)]);
  const told = await cluster.namespace.run(hawser, 'timeline', '--journal', journal, '--kind', 'servers');
  expect(told).toMatch(/server cp-2 up → down: L7STS\/500/);
  expect(told).toMatch(/server cp-2 down → up: L7OK\/200/);
});

test('--log-connections logs the client, the source port seen by the API server, and the server', async () => {
  await balancer.startSupervisor();
  balancer.startMonitor('--log-connections');
  await waitFor('three servers to be up', async () => Object.values(await shown()).join('') === '111');
  await cluster.get(`https://127.0.0.1:${defaultLoadBalancerSettings.lbPort}/readyz`);
  const log = () => readFileSync(`${cluster.dir}/supervisor.log`, 'utf8');
  await waitFor('the line', () =>
    /^connection client=::ffff:127\.0\.0\.1:\d+ from=10\.77\.0\.\d+:\d+ server=cp-[123] state=--$/m.test(
      log(),
    ),
  );
});

test('a server whose Node is annotated with drain gets no new connections, and warms up when it is back', async () => {
  await balancer.startSupervisor();
  balancer.startMonitor();
  await waitFor('three servers to be up', async () => Object.values(await shown()).join('') === '111');
  const annotate = (annotations: Readonly<Record<string, string>>) =>
    cluster.setObjects(
      cluster.nodes.map(({ name, address }) => {
        const object = node(name, [address]);
        return name === 'cp-2' ? { ...object, metadata: { ...object.metadata, annotations } } : object;
      }),
    );
  const statistics = async () => {
    const csv = await cluster.get('http://127.0.0.1:29445/haproxy_stats;csv');
    const rows = csv.split('\n').map((line) => line.split(','));
    const [, , , , , , , total = '', , , , , , , , , , status = '', weight = ''] =
      rows.find(([backend, name]) => backend === 'masters' && name === 'cp-2') ?? [];
    return { total: Number(total), status, weight: Number(weight) };
  };
  annotate({ 'hawser.dev/api-server': 'drain' });
  await waitFor('it to be out of rotation', async () => (await statistics()).status === 'MAINT');
  const { lbPort } = defaultLoadBalancerSettings;
  for (let request = 0; request < 6; request += 1) await cluster.get(`https://127.0.0.1:${lbPort}/readyz`);
  expect((await statistics()).total).toBe(0);
  expect(await balancer.monitorSaid('servers-drained')).toMatchObject({
    drained: ['cp-2'],
    isIgnored: false,
  });
  annotate({});
  await waitFor('it to be back', async () => (await statistics()).status === 'UP');
  expect((await statistics()).weight).toBeLessThan(256);
});

test('a server that leaves the list disappears from the metric, and all of them do when HAProxy is gone', async () => {
  const supervisor = await balancer.startSupervisor();
  balancer.startMonitor();
  await waitFor('three servers to be up', async () => Object.values(await shown()).join('') === '111');
  cluster.setObjects(cluster.nodes.slice(0, 2).map(({ name, address }) => node(name, [address])));
  await waitFor('the third to be gone', async () => Object.keys(await shown()).join() === 'cp-1,cp-2');
  // HAProxy shows the change before the monitor gets the answer to its reload.
  const status = await waitFor('the change to be done', async () => {
    const shown = haproxyMonitorStatusSchema.parse(JSON.parse(await page('/status')));
    return shown.lastChange?.cause === 'servers-changed' && shown;
  });
  expect(status).toMatchObject({
    apiReachable: true,
    held: null,
    redirect: 'off',
    servers: [{ name: 'cp-1' }, { name: 'cp-2' }],
    lastChange: { cause: 'servers-changed', result: 'reloaded' },
  });
  const ended = supervisor.ended;
  supervisor.kill('SIGTERM');
  await ended;
  await waitFor('nothing to be shown', async () => Object.keys(await shown()).length === 0);
});
