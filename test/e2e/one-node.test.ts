import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProcessId } from '../../src/engine/system/process/processes.ts';
import { sendSignal } from '../helpers/vrrp/bed-process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import {
  allWell,
  containers,
  PATIENCE_MS,
  ready,
  redirects,
  statesOf,
  unwell,
  waitForPods,
} from './helpers/health.ts';
import {
  install,
  type PodName,
  putBack,
  takeOut,
  uninstall,
  writeFile,
  writeKubeconfig,
} from './helpers/install.ts';
import type { Kubelet } from './helpers/kubelet.ts';
import type { Machine } from './helpers/machine.ts';
import { containerState } from './helpers/pod-runner.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { sigkill } from './helpers/sigkill.ts';
import { kubeconfig } from './stand-ins/kubeconfig.ts';

const KUBECONFIG = '/etc/hawser/kubeconfig';
let world: PodWorld;
let machine: Machine;
let kubelet: Kubelet;
beforeAll(async () => {
  world = await createPodWorld(1, 3);
  const [only] = world.machines;
  if (only === undefined) throw new Error('Cannot test one node: the cluster is empty');
  machine = only;
  kubelet = world.kubelet(machine);
  await world.startApi(machine);
  await writeKubeconfig(machine, world.bed);
  await install(machine, world.bed);
  await ready(world, machine);
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(() => ready(world, machine));

const atVip = (path: string) =>
  world.bed.client.run('curl', '-sSkf', '--max-time', '5', `https://${world.bed.vip}:6443${path}`);

test('every container becomes healthy without a restart', async () => {
  expect(kubelet.troubles()).toEqual([]);
  const restarts = [...(await statesOf(machine))].map(([name, state]) => [name, state.restarts]);
  expect(restarts).toEqual(containers.map(({ name }) => [name, 0]));
});

test('each of the four programs keeps a journal, and HAProxy cannot read the kubeconfig', async () => {
  const names = await machine.run('sh', '-c', 'ls /var/log/hawser | sed "s/[.].*//" | sort -u');
  expect(names).toBe('haproxy-monitor\nhaproxy-supervisor\nkeepalived-monitor\nkeepalived-supervisor\n');
  const read = await machine.engine.attempt(['exec', 'haproxy-haproxy', 'cat', '/etc/hawser/kubeconfig']);
  expect(read.stderr).toContain('Permission denied');
});

test('/haproxy_ready answers the node itself and other hosts', async () => {
  const url = `http://${machine.node.address}:9444/haproxy_ready`;
  expect(await machine.run('curl', '-sSf', url)).toContain('Service ready');
  expect(await world.bed.client.run('curl', '-sSf', url)).toContain('Service ready');
});

test('kubectl on another machine works through the VIP', async () => {
  const file = join(world.bed.dir, 'client.kubeconfig');
  writeFileSync(file, kubeconfig(world.bed, `${world.bed.vip}:6443`));
  const nodes = await world.bed.client.run('kubectl', '--kubeconfig', file, 'get', '--raw', '/api/v1/nodes');
  expect(JSON.parse(nodes)).toMatchObject({
    kind: 'NodeList',
    items: [{ metadata: { name: machine.node.name } }],
  });
});

test.each(containers)(
  'container $name is killed: it comes back, and nothing else is restarted',
  async ({ pod, name }) => {
    const before = await statesOf(machine);
    sigkill(before.get(name)?.pid);
    await waitForPods(`${name} to run again`, async () => {
      const state = await containerState(machine, pod, name);
      return state.running && state.pid !== before.get(name)?.pid;
    });
    await ready(world, machine);
    const others = (states: typeof before) => [...states].filter(([other]) => other !== name);
    expect(others(await statesOf(machine))).toEqual(others(before));
    await servesAtVip();
  },
);

/** The address left behind by a killed keepalived is removed before the new one is added. */
const servesAtVip = () => waitForPods('the VIP to serve', async () => (await atVip('/readyz')) === 'ok');

/** Processes of the node by part of their command line, as `ps` would show them there. */
const having = (part: string) =>
  machine.node
    .processes()
    .filter(({ argv }) => argv.join(' ').includes(part))
    .map(({ id }) => id);
const worker = () =>
  machine.node
    .processes()
    .filter(({ kind }) => kind === 'haproxy-worker')
    .map(({ id }) => id);
const hawser = (command: string) => having(`hawser.mjs ${command}`);

/** A child that it has just forked has its argv until it executes its program. */
const alone = (found: () => readonly ProcessId[]) =>
  waitFor(
    'it to be alone',
    () => {
      const ids = found();
      return ids.length === 1 && ids;
    },
    PATIENCE_MS,
  );

test.each([
  { name: 'haproxy-monitor', watched: 'the monitor', found: () => hawser('haproxy monitor') },
  { name: 'keepalived', watched: 'the supervisor', found: () => hawser('keepalived supervise') },
  { name: 'keepalived-monitor', watched: 'the monitor', found: () => hawser('keepalived monitor') },
])('when $watched hangs, only the probe of $name fails, and it recovers', async ({ name, found }) => {
  const stopped = await alone(found);
  sendSignal(stopped, 'SIGSTOP');
  await waitForPods(`${name} to be unwell`, async () => (await unwell(kubelet)).includes(name));
  expect(await unwell(kubelet)).toEqual([name]);
  sendSignal(stopped, 'SIGCONT');
  await allWell(kubelet);
});

test('the supervisor replaces a hung HAProxy without a container restart', async () => {
  const restarts = async () => [...(await statesOf(machine))].map(([name, state]) => [name, state.restarts]);
  const before = await restarts();
  const [stopped] = await alone(worker);
  sendSignal(stopped === undefined ? [] : [stopped], 'SIGSTOP');
  await waitForPods('another worker to serve', async () => {
    const found = worker();
    return found.length > 0 && found.every(({ pid }) => pid !== stopped?.pid);
  });
  await allWell(kubelet);
  expect(await restarts()).toEqual(before);
});

test('no probe fails for a dead API server, a broken kubeconfig or template, or a keepalived that is killed or stopped', async () => {
  const file = '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs';
  for (const path of [file, KUBECONFIG]) await machine.run('cp', '-p', path, `${path}.good`);
  await machine.run('sh', '-c', 'echo "<% nonsense" >"$1"; echo "{" >"$2"', 'break', file, KUBECONFIG);
  const [keepalived] = machine.node.running('keepalived');
  sigkill(keepalived?.pid);
  const [api] = having('api-server/main.ts');
  sigkill(api?.pid);
  await waitForPods('the redirect to go', async () => !(await redirects(machine)));
  // No API server is up. That is reported and causes no restart.
  await waitForPods('HAProxy to be not ready', async () => !kubelet.isReady('haproxy'));
  for (let round = 0; round < 3; round += 1) expect(await unwell(kubelet)).toEqual([]);
  const keepalivedCommand = ['exec', 'keepalived-keepalived', 'hawser', 'keepalived'];
  await machine.engine.podman(...keepalivedCommand, 'stop');
  expect(machine.node.running('keepalived')).toEqual([]);
  await waitForPods('keepalived to be not ready', async () => !kubelet.isReady('keepalived'));
  for (let round = 0; round < 3; round += 1) expect(await unwell(kubelet)).toEqual([]);
  await machine.engine.podman(...keepalivedCommand, 'start');
  for (const path of [file, KUBECONFIG]) await machine.run('mv', `${path}.good`, path);
  await world.startApi(machine);
  const areReady = () => kubelet.isReady('haproxy') && kubelet.isReady('keepalived');
  await waitForPods('both pods to be ready', async () => areReady());
});

test('a container whose probe keeps failing is restarted', async () => {
  const before = await containerState(machine, 'keepalived', 'keepalived-monitor');
  sendSignal(await alone(() => hawser('keepalived monitor')), 'SIGSTOP');
  await waitFor('the kubelet to kill it', () => kubelet.killed().length > 0, PATIENCE_MS);
  expect(kubelet.killed()).toEqual(['keepalived/keepalived-monitor']);
  await allWell(kubelet);
  expect((await containerState(machine, 'keepalived', 'keepalived-monitor')).pid).not.toBe(before.pid);
});

test('a resolv.conf that is replaced by a rename reaches both monitors, and nothing else restarts', async () => {
  const before = await statesOf(machine);
  const text = `# renamed into place\n${await machine.run('cat', '/etc/resolv.conf')}`;
  await writeFile(machine, '/etc/resolv.conf', text);
  for (const name of ['haproxy-haproxy-monitor', 'keepalived-keepalived-monitor'])
    await waitForPods(`${name} to see it`, async () => {
      const { stdout } = await machine.engine.attempt(['exec', name, 'cat', '/etc/resolv.conf']);
      return stdout.startsWith('# renamed');
    });
  await ready(world, machine);
  const programs = (states: typeof before) => ['haproxy', 'keepalived'].map((name) => states.get(name));
  expect(programs(await statesOf(machine))).toEqual(programs(before));
});

/** Except for the API server, nothing runs, listens, or changes what the kernel does with packets. */
async function podsGone(): Promise<void> {
  const [api] = having('api-server/main.ts');
  const ended = () => machine.node.processes().every(({ id }) => id.pid === api?.pid);
  await waitFor('every process of the pods to end', ended, PATIENCE_MS);
  const removed = async () => (await machine.run('ls', '/var/lib/kubelet/pods')) === '';
  await waitForPods('the volumes to go', removed);
  expect(await machine.run('nft', 'list', 'ruleset')).toBe('');
  expect(await machine.run('ip', '-o', 'address')).not.toContain(world.bed.vip);
  expect(await machine.run('ss', '-Hlntu')).not.toMatch(/:(?:9445|29445|9444|29446|29447)\b/);
}

test.each<{ first: PodName; second: PodName }>([
  { first: 'keepalived', second: 'haproxy' },
  { first: 'haproxy', second: 'keepalived' },
])('removed pods leave nothing behind, and come back with $first first', async ({ first, second }) => {
  for (const pod of [first, second]) await takeOut(machine, pod);
  await podsGone();
  expect(await machine.run('find', '/etc/haproxy', '/etc/hawser-keepalived', '-type', 's,p')).toBe('');
  await putBack(machine, first);
  const ofFirst = containers.filter(({ pod }) => pod === first);
  await allWell(kubelet, ofFirst);
  await putBack(machine, second);
  await ready(world, machine);
  await servesAtVip();
});

test('hawser uninstall stops the pods, and leaves no VIP, table, process or file', async () => {
  await uninstall(machine);
  await podsGone();
  const folders = [
    '/etc/hawser',
    '/etc/kubernetes',
    '/etc/haproxy',
    '/etc/hawser-keepalived',
    '/var/log/hawser',
  ];
  expect(await machine.run('sh', '-c', 'find "$@" -type f,s,p 2>/dev/null || :', 'find', ...folders)).toBe(
    '',
  );
});
