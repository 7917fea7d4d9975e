import { beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../../../../src/engine/config/set.ts';
import type { Faults } from '../../../helpers/api-server/faults.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;

beforeEach(async () => {
  cluster = await createTestedCluster(4);
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
});

const nodesOf = (count: number) =>
  cluster.nodes.slice(0, count).map(({ name, address }) => node(name, [address]));

/** Each fault with the events that the monitor logs. A silent watch logs nothing. */
const faults: readonly (readonly [string, Partial<Faults>, readonly string[]])[] = [
  ['stalls', { stall: true }, ['watch-interrupted']],
  ['sends nothing more on its watches', { silentWatch: true }, []],
  ['resets every connection', { reset: true }, ['watch-interrupted']],
  // The open watch is silent too; otherwise it would still report the node.
  ['answers 500', { error500: true, silentWatch: true }, []],
  ['cuts an event in half', { resetMidLine: true }, ['watch-interrupted']],
  [
    'sends garbage on its watch',
    { nextWatchBytes: '{"type":"ADDED","object":\u0000}\n' },
    ['watch-interrupted'],
  ],
];

test.each(faults)(
  'a node that joins is served even if the API server in use %s',
  async (_what, fault, told) => {
    cluster.setObjects(nodesOf(3));
    await Promise.all(cluster.nodes.map(cluster.startServer));
    const supervisor = await balancer.startSupervisor();
    // A list may take this long: a server that pauses for seconds is not abandoned before the fault is injected.
    balancer.startMonitor('--check-interval', '4s');
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    await supervisor.waitForServing();
    const [asked] = cluster.nodes;
    if (asked === undefined) throw new Error('Cannot spoil a server: none is configured');
    await cluster.setFaults(asked, fault);
    cluster.setObjects(nodesOf(4));
    await balancer.configured('cp-1', 'cp-2', 'cp-3', 'cp-4');
    await waitFor('HAProxy to run on it', async () => {
      const { current } = await supervisor.status();
      return current?.config === 'live' && current.configSha256 === sha256Of(balancer.configText());
    });
    for (const event of told) await balancer.monitorSaid(event);
  },
);

test('if no API server answers, the list is kept, and it is updated again when one is back', async () => {
  cluster.setObjects(nodesOf(3));
  await Promise.all(cluster.nodes.map(cluster.startServer));
  await balancer.startSupervisor();
  const monitor = balancer.startMonitor('--check-interval', '300ms');
  await balancer.configured('cp-1', 'cp-2', 'cp-3');
  await balancer.monitorSaid('configuration-reloaded');
  for (const each of cluster.nodes) await cluster.killServer(each);
  await balancer.monitorSaid('api-unavailable');
  expect(monitor.exitCode).toBeNull();
  await balancer.configured('cp-1', 'cp-2', 'cp-3');
  cluster.setObjects(nodesOf(4));
  const [, second] = cluster.nodes;
  if (second !== undefined) await cluster.startServer(second);
  await balancer.configured('cp-1', 'cp-2', 'cp-3', 'cp-4');
});
