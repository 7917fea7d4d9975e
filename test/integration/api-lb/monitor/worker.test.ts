import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { hawser } from '../../../helpers/supervisor-build.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;

const LOCAL = 'https://127.0.0.1:6443';
const worker = ['--worker', '--lb-port', '6443'] as const;

beforeEach(async () => {
  cluster = await createTestedCluster(3);
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await Promise.all(cluster.nodes.map(cluster.startServer));
});

const readyz = () => cluster.get(`${LOCAL}/readyz`);
const isReady = async () => (await readyz()) === 'ok';

async function startWorker() {
  const supervisor = await balancer.startSupervisor();
  const monitor = balancer.startMonitor(...worker);
  await supervisor.waitForServing();
  await balancer.configured('cp-1', 'cp-2', 'cp-3');
  await waitFor('/readyz through HAProxy', isReady);
  return { supervisor, monitor };
}

const killTwo = async () => {
  for (const each of cluster.nodes.slice(0, 2)) await cluster.killServer(each);
};

test('a worker reaches the API at 127.0.0.1:6443 with two of three API servers dead', async () => {
  await startWorker();
  await killTwo();
  const answers: string[] = [];
  for (let times = 0; times < 12; times += 1) answers.push(await readyz());
  expect(answers).toEqual(Array.from({ length: 12 }, () => 'ok'));
});

test('status and doctor find nothing wrong on a worker, and status names dead API servers', async () => {
  await startWorker();
  const run = async (...argv: readonly string[]) => {
    const typed = [hawser, ...argv, '-o', 'json', '--worker', '--timeout', '20s'];
    const { stdout } = await runCommand([...cluster.namespace.prefix, ...typed], { timeoutMs: 60_000 });
    return JSON.parse(stdout);
  };
  expect((await run('status')).problems).toEqual([]);
  const paths = ['--haproxy-config', balancer.config, '--haproxy-socket', `${cluster.dir}/run/master.sock`];
  const typed = ['--lb-port', '6443', '--kubeconfig', `${cluster.dir}/kubeconfig`, ...paths];
  const { checks }: { readonly checks: readonly Checked[] } = await run('doctor', ...typed);
  const wrong = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  // The API servers' certificate contains only their own addresses.
  expect(wrong).toMatchObject([
    {
      id: 'api-certificate',
      message: expect.stringContaining('127.0.0.1:6443 does not contain that address'),
    },
  ]);
  await killTwo();
  const problems = await waitFor('the problems', async () => {
    const found: readonly string[] = (await run('status')).problems;
    return found.length > 1 && found;
  });
  expect(problems.map((text) => text.slice(0, 'API server cp-1'.length)).sort()).toEqual([
    'API server cp-1',
    'API server cp-2',
  ]);
});

interface Checked {
  readonly id: string;
  readonly verdict: string;
  readonly message: string;
}

test('HAProxy on a worker listens only on loopback, and there is no firewall table', async () => {
  await startWorker();
  const own = await cluster.namespace.run('ss', '-Hltnp');
  const ofHaproxy = own.split('\n').filter((line) => line.includes('"haproxy"'));
  expect(ofHaproxy.flatMap((line) => /(\S+):\d+\s+\S+:\*/.exec(line)?.[1] ?? [])).toEqual([
    ...['127.0.0.1', '127.0.0.1', '127.0.0.1'],
  ]);
  expect(await cluster.namespace.run('nft', 'list', 'tables')).toBe('');
});

test('a worker whose kubeconfig points at its own HAProxy cold-starts from the last-known list', async () => {
  const { supervisor, monitor } = await startWorker();
  await waitFor('the list to be saved', () =>
    readFileSync(`${cluster.dir}/conf/api-servers.json`, 'utf8').includes('cp-3'),
  );
  monitor.kill('SIGTERM');
  await balancer.monitorSaid('monitor-stopped');
  supervisor.kill('SIGTERM');
  await supervisor.ended;
  for (const each of cluster.nodes) await cluster.killServer(each);
  writeFileSync(balancer.config, '');
  cluster.kubeconfig(LOCAL);

  const again = await balancer.startSupervisor();
  balancer.startMonitor(...worker);
  await balancer.monitorSaid('cold-start-with-last-known');
  await balancer.configured('cp-1', 'cp-2', 'cp-3');
  await again.waitForServing();
  const [, , third] = cluster.nodes;
  if (third !== undefined) await cluster.startServer(third);
  await waitFor('/readyz through HAProxy', isReady);
});
