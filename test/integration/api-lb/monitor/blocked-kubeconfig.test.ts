import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { node } from '../../../helpers/api-server/objects.ts';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer } from '../../../helpers/load-balancer.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let path: string;

beforeEach(async () => {
  cluster = await createTestedCluster(1);
  const nodes = cluster.nodes.map(({ name, address }) => node(name, [address]));
  cluster.setObjects(nodes);
  await Promise.all(cluster.nodes.map(cluster.startServer));
  path = join(cluster.dir, 'blocked.conf');
});

const mended = () => readFileSync(cluster.kubeconfig('https://10.77.0.11:6443'), 'utf8');

function nameProgram(): void {
  const config = JSON.parse(mended());
  config.users[0].user = { exec: { command: 'true' } };
  writeFileSync(path, JSON.stringify(config));
}

test.each([
  ['is a FIFO', () => void execFileSync('mkfifo', [path]), /not a regular file/],
  ['names a program', nameProgram, /runs a program \(exec\), expected client certificate files/],
])(
  'a monitor whose kubeconfig %s reports it, finds the servers once it is fixed, and exits on SIGTERM',
  async (_what, block, reason) => {
    block();
    const balancer = createLoadBalancer(cluster, path);
    const flags = ['--check-interval', '1s'];
    const first = balancer.startMonitor(...flags);
    expect((await balancer.monitorSaid('api-unavailable'))['error']).toMatch(reason);
    first.kill('SIGTERM');
    expect(await once(first, 'exit')).toEqual([0, null]);

    const second = balancer.startMonitor(...flags);
    await balancer.monitorSaid('api-unavailable', 1);
    rmSync(path);
    writeFileSync(path, mended());
    await balancer.configured('cp-1');
    second.kill('SIGTERM');
    await waitFor('the second monitor to end', () => second.exitCode === 0);
  },
);
