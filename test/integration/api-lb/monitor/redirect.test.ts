import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Cluster } from '../../../helpers/cluster.ts';
import { createLoadBalancer, type LoadBalancer } from '../../../helpers/load-balancer.ts';
import { createTestedCluster } from '../../../helpers/tested-cluster.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: Cluster;
let balancer: LoadBalancer;

beforeEach(async () => {
  cluster = await createTestedCluster(3);
  // API servers listen on their node's address: on the VIP, port 6443 is only the redirect.
  balancer = createLoadBalancer(cluster, cluster.kubeconfig('https://10.77.0.11:6443'));
  await Promise.all(cluster.nodes.map(cluster.startServer));
});
afterEach(() => void vi.unstubAllEnvs());

const tables = () => cluster.namespace.run('nft', 'list', 'tables');
/** How often the redirect has been added so far: a starved server may be unusable for a while. */
const added = () => balancer.monitorEvents().filter(({ event }) => event === 'redirect-added').length;
/** Undefined if there is no answer. */
const throughVip = async () => (await cluster.get(`https://${cluster.vip}:6443/version`)) || undefined;

test('the VIP leads to HAProxy while HAProxy has a usable server, and no rule outlives the monitor', async () => {
  await balancer.startSupervisor();
  const monitor = balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  await waitFor('an answer on the VIP', throughVip);
  const gone = new Promise<number | null>((resolve) => monitor.once('exit', resolve));
  monitor.kill('SIGTERM');
  expect(await gone).toBe(0);
  expect(await tables()).not.toContain('hawser');
});

/** The hooks and priorities of kube-proxy in nftables mode, with one NodePort Service. */
const kubeProxy = `table ip kube-proxy {
  chain service { meta l4proto tcp dnat to 10.77.0.11:6443
  }
  chain services {
    ip daddr 10.96.0.1 tcp dport 443 goto service
    fib daddr type local tcp dport 31000 goto service
  }
  chain nat-prerouting { type nat hook prerouting priority dstnat; policy accept; jump services
  }
  chain nat-output { type nat hook output priority -100; policy accept; jump services
  }
  chain nat-postrouting { type nat hook postrouting priority srcnat; policy accept; masquerade
  }
}
`;

test("the redirect and kube-proxy's nftables chains do not interfere", async () => {
  const rules = `${cluster.dir}/kube-proxy.nft`;
  writeFileSync(rules, kubeProxy);
  await cluster.namespace.run('nft', '-f', rules);
  await cluster.namespace.run('ip', 'route', 'add', '10.96.0.0/12', 'dev', 'node0');
  await balancer.startSupervisor();
  balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  await waitFor('an answer on the VIP', throughVip);
  const version = await throughVip();
  expect(await cluster.get('https://10.96.0.1:443/version')).toBe(version);
  expect(await cluster.get(`https://${cluster.vip}:31000/version`)).toBe(version);
});

test('a killed monitor leaves the redirect, and the next one does not touch it while HAProxy serves', async () => {
  await balancer.startSupervisor();
  const monitor = balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  const gone = new Promise((resolve) => monitor.once('exit', resolve));
  monitor.kill('SIGKILL');
  await gone;
  expect(await tables()).toContain('hawser');
  await waitFor('an answer on the VIP', throughVip);
  balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added', 1);
  expect(balancer.monitorEvents().map(({ event }) => event)).not.toContain('redirect-removed');
});

test('a monitor that is stopped during its start removes the redirect of a killed predecessor', async () => {
  await balancer.startSupervisor();
  const killed = balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  const over = once(killed, 'exit');
  killed.kill('SIGKILL');
  await over;
  const atLoad = `import { registerHooks } from 'node:module';
    registerHooks({
      load: (url, context, next) => {
        if (url.includes('/haproxy-monitor-')) process.kill(process.pid, 'SIGTERM');
        return next(url, context);
      },
    });`;
  vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${encodeURIComponent(atLoad)}`);
  const stopped = balancer.startMonitor('--api-vip', cluster.vip);
  expect(await once(stopped, 'exit')).toEqual([0, null]);
  expect(await tables()).not.toContain('hawser');
});

test('a flushed redirect is restored', async () => {
  await balancer.startSupervisor();
  balancer.startMonitor('--api-vip', cluster.vip, '--check-interval', '300ms');
  await balancer.monitorSaid('redirect-added');
  await cluster.namespace.run('nft', 'flush', 'ruleset');
  await balancer.monitorSaid('redirect-added', added());
  await waitFor('an answer on the VIP', throughVip);
});

test('the redirect is removed when no server is usable, and restored with the first usable one', async () => {
  const supervisor = await balancer.startSupervisor();
  balancer.startMonitor('--api-vip', cluster.vip, '--redirect-remove-after', '1s');
  await balancer.monitorSaid('redirect-added');
  const ended = supervisor.ended;
  supervisor.kill('SIGTERM');
  expect(await ended).toBe(0);
  await balancer.monitorSaid('redirect-removed');
  await waitFor('the redirect to be gone', async () => !(await tables()).includes('hawser'));
  const before = added();
  await balancer.startSupervisor();
  await balancer.monitorSaid('redirect-added', before);
});

test('the monitor answers the kubelet and Prometheus on loopback', async () => {
  await balancer.startSupervisor();
  balancer.startMonitor('--api-vip', cluster.vip);
  await balancer.monitorSaid('redirect-added');
  // HAProxy may be usable before the monitor gets the answer to its reload.
  await balancer.monitorSaid('configuration-reloaded');
  expect(await cluster.get('http://127.0.0.1:29446/healthz')).toBe('ok\n');
  const metrics = await cluster.get('http://127.0.0.1:29446/metrics');
  expect(metrics).toContain('hawser_servers 3');
  expect(metrics).toContain('hawser_redirect_present 1');
  expect(metrics).toMatch(/hawser_applies_total\{result="reloaded"\} [1-9]/);
});
