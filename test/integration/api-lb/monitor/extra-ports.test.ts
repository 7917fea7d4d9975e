import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;
let agents: ReadonlyMap<string, ChildProcess>;

/** Another server on an API server's node; it answers with the node's name. */
const agent = `const [, name, host] = process.argv;
  require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\\r\\nconnection: close\\r\\n\\r\\n' + name));
  }).listen(8132, host, () => console.log('listening'));`;

async function startAgent(name: string, address: string): Promise<readonly [string, ChildProcess]> {
  const [file, ...before] = cluster.namespace.prefix;
  const child = spawn(file, [...before, process.execPath, '-e', agent, name, address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return [name, child];
}

beforeEach(async () => {
  cluster = await createTestedCluster(3);
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await Promise.all(cluster.nodes.map(cluster.startServer));
  agents = new Map(await Promise.all(cluster.nodes.map(({ name, address }) => startAgent(name, address))));
  await balancer.startSupervisor();
  const extra = 'name=konnectivity port=8132,name=secure port=7443 serverPort=6443 check=https';
  balancer.startMonitor('--api-vip', cluster.vip, '--extra-ports', extra);
  await balancer.monitorSaid('redirect-added');
});

/** The nodes that answered nine sequential requests; "" for a failed request. */
async function answering(): Promise<readonly string[]> {
  const names: string[] = [];
  for (let request = 0; request < 9; request += 1)
    names.push(await cluster.get(`http://${cluster.vip}:8132/`).catch(() => ''));
  return [...new Set(names)].sort();
}

const drain = (drained: string | undefined) =>
  cluster.setObjects(
    cluster.nodes.map(({ name, address }) => {
      const object = node(name, [address]);
      const annotations = { 'hawser.dev/api-server': 'drain' };
      return name === drained ? { ...object, metadata: { ...object.metadata, annotations } } : object;
    }),
  );

test('an extra port of the VIP is balanced over the API servers, except drained and dead ones', async () => {
  await waitFor('all to answer', async () => (await answering()).join() === 'cp-1,cp-2,cp-3');
  expect(await cluster.get(`https://${cluster.vip}:7443/readyz`)).toBe('ok');

  drain('cp-2');
  await waitFor('one to be drained', async () => (await answering()).join() === 'cp-1,cp-3');
  drain(undefined);
  await waitFor('it to be back', async () => (await answering()).join() === 'cp-1,cp-2,cp-3');

  agents.get('cp-1')?.kill('SIGKILL');
  await waitFor('the rest to answer', async () => (await answering()).join() === 'cp-2,cp-3');
  const status = await waitFor('the status to say so', async () => {
    const text = await cluster.namespace.run('sh', '-c', `${hawser} status || true`);
    return /extra port konnectivity: cp-1 down/.test(text) && text;
  });
  expect(status).toMatch(/extra port konnectivity\s+2 of 3 servers up: VIP:8132 -> 18132 -> servers' 8132/);
  expect(status).toMatch(/extra port secure\s+3 of 3 servers up/);
  expect(await cluster.namespace.run('nft', 'list', 'table', 'inet', 'hawser_api_redirect')).toContain(
    `${cluster.vip} . 8132 : ${cluster.vip} . 18132`,
  );
});
