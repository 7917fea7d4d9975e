import { readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isAlive } from '../../src/engine/system/process/processes.ts';
import { containers, ready } from './helpers/health.ts';
import { install, type PodName, writeKubeconfig } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { containerState } from './helpers/pod-runner.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';

const KUBECONFIG = '/etc/hawser/kubeconfig';
let world: PodWorld;
let machine: Machine;
beforeAll(async () => {
  world = await createPodWorld(1, 3);
  const [only] = world.machines;
  if (only === undefined) throw new Error('Cannot test one node: the cluster is empty');
  machine = only;
  await world.startApi(machine);
  await writeKubeconfig(machine, world.bed);
  await install(machine, world.bed);
  await ready(world, machine);
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(() => ready(world, machine));

/** Of every process in the container except runc's own, which has not yet executed the program it was asked to run. */
async function rightsIn(pod: PodName, name: string): Promise<readonly string[]> {
  const { pid } = await containerState(machine, pod, name);
  const container = readlinkSync(`/proc/${pid}/ns/pid`);
  const rights = machine.node.processes().flatMap(({ id, argv }) => {
    if (/(?:^|\/)runc$/.test(argv[0] ?? '') && argv[1] === 'init') return [];
    try {
      if (readlinkSync(`/proc/${id.pid}/ns/pid`) !== container) return [];
      const status = readFileSync(`/proc/${id.pid}/status`, 'utf8');
      const [, user] = /^Uid:\t(\d+)/m.exec(status) ?? [];
      const [, effective] = /^CapEff:\t0*([0-9a-f]+)/m.exec(status) ?? [];
      return [`user ${user}, capabilities ${effective}`];
    } catch {
      // It has ended in the meantime.
      return [];
    }
  });
  return [...new Set(rights)];
}

test.each<{ name: string; pod: PodName; rights: string }>([
  { pod: 'haproxy', name: 'haproxy', rights: 'user 65529, capabilities 0' },
  // NET_ADMIN is bit 12, NET_RAW 13, SYS_NICE 23.
  { pod: 'haproxy', name: 'haproxy-monitor', rights: 'user 0, capabilities 1000' },
  { pod: 'keepalived', name: 'keepalived', rights: 'user 0, capabilities 803000' },
  { pod: 'keepalived', name: 'keepalived-monitor', rights: 'user 0, capabilities 1000' },
])('every process of $name has exactly these rights: $rights', async ({ pod, name, rights }) => {
  expect(await rightsIn(pod, name)).toEqual([rights]);
});

async function policiesOf(isMeant: (argv: readonly string[]) => boolean): Promise<readonly string[]> {
  const meant = machine.node.processes().filter(({ argv }) => isMeant(argv));
  const told = meant.map(({ id }) =>
    machine.run('chrt', '--pid', String(id.pid)).catch((error) => {
      // A child that one of our programs has forked has our argv until it executes its program, and may have ended.
      if (isAlive(id)) throw error;
      return [];
    }),
  );
  return [
    ...new Set((await Promise.all(told)).flat().map((text) => /policy: (\w+)/.exec(text)?.[1] ?? text)),
  ];
}

test('keepalived runs at a real-time priority, as SYS_NICE allows, and nothing of hawser does', async () => {
  expect(await policiesOf((argv) => argv[0] === '/usr/sbin/keepalived')).toEqual(['SCHED_RR']);
  const ours = (argv: readonly string[]) => argv.includes('supervise') || argv.includes('monitor');
  expect(await policiesOf(ours)).toEqual(['SCHED_OTHER']);
});

test('beyond loopback only the API server and the two ports of HAProxy listen', async () => {
  const sockets = (await machine.run('ss', '-Hlntu')).trim().split('\n');
  const beyond = sockets.filter((line) => !/\s(?:127\.0\.0\.1|\[::1\]):\d+\s/.test(line));
  const ports = beyond.map((line) => /:(\d+)\s/.exec(line)?.[1]);
  expect([...new Set(ports)].toSorted()).toEqual(['6443', '9444', '9445']);
});

test('private files are closed to other users, on the node and in the containers', async () => {
  const list = [
    'find',
    '/etc/hawser',
    '/etc/haproxy',
    '/etc/hawser-keepalived',
    '/var/log/hawser',
    '-printf',
  ];
  const onNode = await machine.run(...list, '%y %m %u %g %p\\n');
  const ofOthers = onNode.split('\n').filter((line) => /^[fs] \d*[2367] /.test(line));
  expect(ofOthers).toEqual([]);
  expect(onNode).toContain('f 600 root root /etc/hawser/kubeconfig\n');
  const ways = ['find', '/var/run/haproxy', '/var/lib/haproxy/run', '/var/run/keepalived', '-type', 's,p'];
  const inContainers = ['haproxy-haproxy', 'keepalived-keepalived'].map((name) =>
    machine.engine.podman('exec', name, ...ways, '-printf', '%m %p\\n'),
  );
  expect((await Promise.all(inContainers)).join('').trim().split('\n').toSorted()).toEqual([
    '600 /var/lib/haproxy/run/haproxy.sock',
    '600 /var/lib/haproxy/run/hawser-generation-1.sock',
    '600 /var/run/keepalived/keepalived.sock',
    '600 /var/run/keepalived/notify.fifo',
    '660 /var/run/haproxy/haproxy-master.sock',
  ]);
});

test('the key of the kubeconfig appears in no log, journal, argument or page', async () => {
  const key = readFileSync(world.bed.identity.keyFile).toString('base64').slice(100, 140);
  expect(await machine.run('cat', KUBECONFIG)).toContain(key);
  const pages = [29445, 29446, 29447, 29448, 29449].flatMap((port) =>
    ['status', 'metrics', 'haproxy_stats'].map((page) => `http://127.0.0.1:${port}/${page}`),
  );
  const shown = await Promise.all([
    ...containers.map(async ({ pod, name }) => await machine.engine.attempt(['logs', `${pod}-${name}`])),
    ...pages.map((url) => machine.run('curl', '-sS', url)),
    machine.run('sh', '-c', 'cat /var/log/hawser/*'),
  ]);
  const all = JSON.stringify([shown, machine.node.processes().map(({ argv }) => argv.join(' '))]);
  // The texts it could appear in were read.
  for (const part of ['keepalived-started', 'haproxy monitor', 'hawser_redirect'])
    expect(all).toContain(part);
  expect(all).not.toContain(key);
});
