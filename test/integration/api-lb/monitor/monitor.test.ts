import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { sha256Of } from '../../../../src/engine/config/set.ts';
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

/** Undefined if there is no answer. */
const throughHaproxy = async () => (await cluster.get('https://10.77.0.11:9445/version')) || undefined;

async function startThree(): Promise<void> {
  cluster.setObjects(nodesOf(3));
  await Promise.all(cluster.nodes.slice(0, 3).map(cluster.startServer));
}

/** The supervisor has answered for the first time: it reloaded, or it started with the new file and nothing was left to do. */
async function reached(): Promise<void> {
  const answers = new Set(['configuration-recovered', 'configuration-reloaded']);
  await waitFor('the monitor to reach it', () =>
    balancer.monitorEvents().some(({ event }) => answers.has(event)),
  );
}

describe('monitor and supervisor together', () => {
  test('serve the API through the load balancer and follow nodes that come and go', async () => {
    await startThree();
    const supervisor = await balancer.startSupervisor();
    balancer.startMonitor('--api-vip', cluster.vip);
    await supervisor.waitForServing();
    await waitFor('an answer through HAProxy', throughHaproxy);
    await balancer.configured('cp-1', 'cp-2', 'cp-3');

    const [, , , fourth] = cluster.nodes;
    if (fourth !== undefined) await cluster.startServer(fourth);
    cluster.setObjects(nodesOf(4));
    await balancer.configured('cp-1', 'cp-2', 'cp-3', 'cp-4');
    cluster.setObjects(nodesOf(3));
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    await balancer.monitorSaid('configuration-reloaded', 2);
    expect(await balancer.monitorSaid('servers-changed', 1)).toMatchObject({ removed: ['10.77.0.14:6443'] });
    const status = await supervisor.status();
    expect(status.current?.config).toBe('live');
    expect(status.lastFailure).toBeNull();
  });

  test('a monitor that starts before its supervisor waits for it instead of exiting', async () => {
    await startThree();
    const monitor = balancer.startMonitor();
    await balancer.monitorSaid('supervisor-unreachable');
    expect(monitor.exitCode).toBeNull();
    const supervisor = await balancer.startSupervisor();
    await supervisor.waitForServing();
    await waitFor('an answer through HAProxy', throughHaproxy);
    await reached();
  });

  test('if every API server is down, the last-known list serves a cold start', async () => {
    await startThree();
    const first = balancer.startMonitor();
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    await balancer.monitorSaid('supervisor-unreachable');
    const supervisor = await balancer.startSupervisor();
    await supervisor.waitForServing();
    await reached();
    await waitFor('the list to be saved', () => readFileSync(`${cluster.dir}/conf/api-servers.json`, 'utf8'));
    first.kill('SIGTERM');
    await balancer.monitorSaid('monitor-stopped');
    for (const each of cluster.nodes) await cluster.killServer(each);
    writeFileSync(balancer.config, '');

    balancer.startMonitor();
    await balancer.monitorSaid('cold-start-with-last-known');
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
  });

  test('before the first API server exists, HAProxy answers the kubelet and reports that it has no server', async () => {
    const supervisor = await balancer.startSupervisor();
    balancer.startMonitor('--api-vip', cluster.vip);
    await balancer.monitorSaid('cold-start-without-servers');
    await supervisor.waitForServing();
    const code = ['-o', '/dev/null', '-w', '%{http_code}'] as const;
    const ask = (path: string) =>
      cluster.namespace.run('curl', '-s', ...code, `http://127.0.0.1:9444${path}`);
    expect(await ask('/haproxy_ready')).toBe('200');
    expect(await ask('/haproxy_monitor')).toBe('503');
  });
});

test.each(['debian-haproxy.cfg', 'guide-haproxy.cfg'])(
  'if the API is down and %s is in its place, HAProxy still serves the probe, and the file is kept',
  async (name) => {
    const foreign = readFileSync(join(import.meta.dirname, '../../../fixtures/foreign', name), 'utf8');
    writeFileSync(balancer.config, foreign);
    await balancer.startSupervisor();
    balancer.startMonitor('--api-vip', cluster.vip);
    const path = balancer.config;
    const copy = `${path}.before-hawser`;
    expect(await balancer.monitorSaid('foreign-configuration-replaced')).toMatchObject({ path, copy });
    expect(readFileSync(copy, 'utf8')).toBe(foreign);
    const ready = 'http://127.0.0.1:9444/haproxy_ready';
    await waitFor('/haproxy_ready', () => cluster.namespace.run('curl', '-sf', ready).then(() => true));
  },
);

describe('a monitor does not trust', () => {
  test('an empty list', async () => {
    await startThree();
    await balancer.startSupervisor();
    balancer.startMonitor('--check-interval', '300ms');
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    await balancer.monitorSaid('configuration-reloaded');
    cluster.setObjects([]);
    expect(await balancer.monitorSaid('list-held')).toMatchObject({ reason: 'empty-list' });
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
  });

  test('a list that lacks most servers while they still answer; it does once they are dead', async () => {
    await startThree();
    await balancer.startSupervisor();
    balancer.startMonitor('--check-interval', '300ms');
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    await balancer.monitorSaid('configuration-reloaded');
    cluster.setObjects(nodesOf(1));
    await waitFor('the loss to be held for living servers', () =>
      balancer.monitorEvents().find((line) => line['reason'] === 'missing-servers-still-answer'),
    );
    await balancer.configured('cp-1', 'cp-2', 'cp-3');
    for (const lost of cluster.nodes.slice(1, 3)) await cluster.killServer(lost);
    await balancer.configured('cp-1');
  });

  test('a template that HAProxy rejects; the old configuration keeps serving, and a fixed template is applied', async () => {
    await startThree();
    const supervisor = await balancer.startSupervisor();
    balancer.startMonitor();
    await balancer.monitorSaid('configuration-reloaded');
    const { generation } = await supervisor.waitForServing();
    const good = balancer.configText();
    const template = readFileSync(balancer.template, 'utf8');
    writeFileSync(balancer.template, `${template}\nthis is no directive\n`);
    const rejected = await balancer.monitorSaid('configuration-rejected');
    expect(rejected['detail']).toContain('this');
    expect(balancer.configText()).toBe(good);
    expect((await supervisor.status()).current?.generation).toBe(generation);
    writeFileSync(balancer.template, `${template}\n# mended\n`);
    await waitFor('the mended template to be served', () => balancer.configText().endsWith('# mended\n'));
    const served = await waitFor('HAProxy to run on it', async () => {
      const { current } = await supervisor.status();
      return current?.configSha256 === sha256Of(balancer.configText()) ? current : undefined;
    });
    expect(served.generation).toBe((generation ?? 0) + 1);
  });
});

test('a configuration that was edited or removed by hand is restored', async () => {
  await startThree();
  await balancer.startSupervisor();
  balancer.startMonitor('--check-interval', '300ms');
  await balancer.monitorSaid('configuration-reloaded');
  const good = balancer.configText();
  writeFileSync(balancer.config, '# mine\n');
  await waitFor('the configuration to be put back', () => balancer.configText() === good);
});

test('a kubeconfig that points at the VIP does not leave the monitor blind', async () => {
  await startThree();
  const kubeconfig = cluster.kubeconfig('https://10.77.0.100:6444', 'through-the-vip');
  const blind = createLoadBalancer(cluster, kubeconfig);
  await blind.startSupervisor();
  // Only the saved list of an earlier run leads to a server that answers.
  const first = balancer.startMonitor('--last-known', `${cluster.dir}/known.json`);
  await balancer.configured('cp-1', 'cp-2', 'cp-3');
  await waitFor('the list to be saved', () => readFileSync(`${cluster.dir}/known.json`, 'utf8'));
  first.kill('SIGTERM');
  await balancer.monitorSaid('monitor-stopped');
  cluster.setObjects(nodesOf(2));
  blind.startMonitor('--last-known', `${cluster.dir}/known.json`);
  await blind.configured('cp-1', 'cp-2');
});
