import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKubeconfig } from '../../../../src/engine/kube/kubeconfig.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { createWake } from '../../../../src/engine/system/time/wake.ts';
import { openNodeLists } from '../../../../src/vip/configuration/node-lists.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { kubernetesSlice, node } from '../../../helpers/api-server/objects.ts';
import { createTestCluster, type TestCluster } from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let stop: AbortController;
let running: readonly Promise<void>[];

beforeEach(() => {
  cluster = createTestCluster();
  stop = new AbortController();
  running = [];
  cluster.store.set(node('cp-1', ['10.0.0.1', 'fd00::1']));
  cluster.store.set(node('worker', ['10.0.0.9', 'fd00::9'], {}));
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster.remove();
});

async function open(source: 'nodes' | 'endpoints' = 'nodes') {
  const kubeconfig = openKubeconfig(cluster.kubeconfigPath, () => undefined);
  const metrics = createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry());
  const settings = {
    apiVips: ['10.0.0.100', 'fd00::100'],
    ingressVips: ['10.0.0.101'],
    source,
    // A poll that is answered later than the check interval ends the watches.
    servers: undefined,
    apiPort: 1,
    checkInterval: 1_000,
    settle: 0,
    lastKnownPath: join(cluster.dir, 'vrrp-nodes.json'),
    config: join(cluster.dir, 'keepalived.conf'),
  };
  const { lists, loops } = await openNodeLists(
    settings,
    { kubeconfig, wake: createWake() },
    { log: () => undefined, metrics, once: createOnce() },
    stop.signal,
  );
  running = Object.values(loops).map((loop) => loop(stop.signal));
  const names = async () =>
    await Promise.all(
      lists.map(async ({ kind, list }) => {
        const servers = (await list.next(stop.signal)).input ?? [];
        return `${kind}: ${servers.map(({ address }) => address).join(' ')}`;
      }),
    );
  return names;
}

test('the lists of API and ingress VIPs share one session: three watches, few connections', async () => {
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  const names = await open();
  const expected = ['api: 10.0.0.1', 'api: fd00::1', 'ingress: 10.0.0.1 10.0.0.9'];
  await waitFor('the lists', async () => JSON.stringify(await names()) === JSON.stringify(expected));
  await waitFor('the watches', () => server.served().watches === 3);
  await waitFor('the connections of the start to end', () => server.served().connections <= 5);
  const { requests, accepted } = server.served();
  await waitFor('some polls', () => server.served().requests > requests + 18);
  expect(server.served().watches).toBe(3);
  // One for each watch, and one for each of the two sources that may be listing at that moment.
  expect(server.served().connections).toBeLessThanOrEqual(5);
  // Two sources that poll at the same moment may open one more.
  expect(server.served().accepted).toBeLessThan(accepted + 10);
});

test('the nodes of a VIP do not depend on the API servers that run, whatever HAProxy uses', async () => {
  cluster.store.set(kubernetesSlice('kubernetes', ['10.0.0.2']));
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  const names = await open('endpoints');
  const expected = ['api: 10.0.0.1', 'api: fd00::1', 'ingress: 10.0.0.1 10.0.0.9'];
  await waitFor('the lists', async () => JSON.stringify(await names()) === JSON.stringify(expected));
});
