import { chmodSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;

beforeEach(async () => {
  cluster = await createTestedCluster(1);
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await Promise.all(cluster.nodes.map(cluster.startServer));
});

const curl = async (path: string, ...more: readonly string[]) =>
  await cluster.namespace.run('curl', '-s', '-w', '%{http_code}', ...more, `http://10.77.0.11:29450${path}`);

test('with the token, other machines get the metrics of all programs in the pod, and no other page', async () => {
  const token = `${cluster.dir}/token`;
  writeFileSync(token, 'secret', { mode: 0o600 });
  await balancer.startSupervisor();
  balancer.startMonitor('--metrics-listen', '10.77.0.11:29450', '--metrics-token-file', token);
  await balancer.monitorSaid('metrics-served');
  await balancer.configured('cp-1');
  const bearer = ['-H', 'Authorization: Bearer secret'];
  expect(await curl('/metrics', ...bearer)).toMatch(/^hawser_applies_total\{.*200$/ms);
  await waitFor('HAProxy to answer', async () =>
    /^haproxy_server_status\{.*200$/ms.test(await curl('/metrics/haproxy', ...bearer)),
  );
  expect(await curl('/metrics/supervisor', ...bearer)).toMatch(/^hawser_reloads_total\{.*200$/ms);
  expect(await curl('/metrics')).toMatch(/401$/);
  expect(await curl('/status', ...bearer)).toMatch(/404$/);
});

test('a world-readable token file opens no listener, and the status says so until it is fixed', async () => {
  const token = `${cluster.dir}/token`;
  writeFileSync(token, 'secret', { mode: 0o644 });
  await balancer.startSupervisor();
  balancer.startMonitor('--metrics-listen', '10.77.0.11:29450', '--metrics-token-file', token);
  const status = async (): Promise<unknown> => JSON.parse(await cluster.get('http://127.0.0.1:29446/status'));
  await balancer.configured('cp-1');
  const message = `Cannot use --metrics-token-file "${token}": it is world-readable (mode 644), expected mode 600`;
  expect(await status()).toMatchObject({ metricsProblem: message });
  chmodSync(token, 0o600);
  await balancer.monitorSaid('metrics-served');
  expect(await status()).not.toHaveProperty('metricsProblem');
});

test('a listener that other machines can reach without a credential is refused', async () => {
  const child = balancer.startMonitor('--metrics-listen', '0.0.0.0:29450');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2);
});
