import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { BedClient } from '../helpers/vrrp/bed-client.ts';
import { todayCluster } from '../helpers/vrrp/today.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { lostSince, REQUEST_TIMEOUT_MS } from './helpers/client-losses.ts';
import { containers, PATIENCE_MS, ready, waitForPods } from './helpers/health.ts';
import { install, putBack, takeOut, uninstall } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { containerState } from './helpers/pod-runner.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { printStoryOf } from './helpers/print-story.ts';
import {
  buildShellPods,
  installShellPods,
  renderShellPods,
  writeKubeletCredentials,
} from './helpers/shell-pods.ts';

/** Three nodes on the shell pods, changed to hawser's one after the other: each test on what the last one left. */
let world: PodWorld;
let client: BedClient;
const changed: Machine[] = [];

beforeAll(async () => {
  await buildShellPods();
  world = await createPodWorld(3);
  for (const machine of world.machines) {
    await world.startApi(machine);
    await writeKubeletCredentials(machine, world.bed);
    await installShellPods(machine, world.bed);
  }
  for (const machine of world.machines) await shellPodsRun(machine);
  await waitFor('one node to hold the VIP', () => world.bed.holders().length === 1, PATIENCE_MS);
  client = await world.bed.startClient(6443, REQUEST_TIMEOUT_MS);
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(printStoryOf(() => world));
beforeEach(async () => void (await rested()));

async function shellPodsRun(machine: Machine): Promise<void> {
  const runs = async () => {
    const states = containers.map(({ pod, name }) => containerState(machine, pod, name));
    return (await Promise.all(states)).every(({ running }) => running);
  };
  await waitForPods(`the shell pods of ${machine.node.name} to run`, runs);
  const url = `http://${machine.node.address}:9444/haproxy_ready`;
  await waitForPods(
    `HAProxy of ${machine.node.name}`,
    async () => (await machine.run('curl', '-sSf', url)) !== '',
  );
}

async function rested(): Promise<Machine> {
  const isRested = () => world.bed.holders().length === 1 && client.calmFor(2_000);
  await waitFor('one holder that serves', isRested, PATIENCE_MS);
  const found = world.machines.find(({ node }) => world.bed.holders().includes(node));
  if (found === undefined) throw new Error('Cannot find the holder');
  return found;
}

const unchanged = () => world.machines.filter((machine) => !changed.includes(machine));

async function change(machine: Machine): Promise<void> {
  await install(machine, world.bed, { flags: ['--flavor', 'openshift', '--cluster-name', todayCluster] });
  changed.push(machine);
  await takesPart(machine);
  await ready(world, machine);
}

async function takesPart(machine: Machine): Promise<void> {
  const argv = ['exec', 'keepalived-keepalived', 'hawser', 'keepalived', 'status'];
  const tellsSo = async () => /\b(?:BACKUP|MASTER)\b/.test((await machine.engine.attempt(argv)).stdout);
  await waitForPods(`${machine.node.name} to take part`, tellsSo);
}

/** Leaves the VIP nowhere else to go, and brings everybody back. Returns who had it. */
async function drive(to: readonly Machine[]): Promise<Machine> {
  const others = world.machines.filter((machine) => !to.includes(machine));
  for (const machine of others) await takeOut(machine, 'keepalived');
  await waitFor(
    'the VIP to be where it can be',
    () =>
      world.bed.holders().length > 0 &&
      world.bed.holders().every((node) => to.some((each) => each.node === node)),
    PATIENCE_MS,
  );
  const holder = await rested();
  for (const machine of others) await putBack(machine, 'keepalived');
  for (const machine of others)
    if (changed.includes(machine)) await takesPart(machine);
    else await shellPodsRun(machine);
  await rested();
  return holder;
}

test("the openshift flavour takes the place of the two shell pods one for one, with their paths and the kubelet's credentials", async () => {
  const holder = await rested();
  const machine = world.machines.find((each) => each !== holder);
  if (machine === undefined) throw new Error('Cannot find a node that is not the holder');
  const manifests = async () => await machine.run('ls', '/etc/kubernetes/manifests');
  const fromMs = monotonicMs();
  expect(await manifests()).toBe('haproxy.yaml\nkeepalived.yaml\n');
  await change(machine);
  expect(await manifests()).toBe('haproxy.yaml\nkeepalived.yaml\n');
  expect(await machine.run('ls', '/etc/hawser/replaced')).toBe('haproxy.yaml\nkeepalived.yaml\n');
  const commands = machine.node.processes().map(({ argv }) => argv.join(' '));
  expect(commands).toContainEqual(
    expect.stringMatching(
      /haproxy monitor \/var\/lib\/kubelet\/kubeconfig \/config\/haproxy\.cfg\.ejs \/etc\/haproxy\/haproxy\.cfg /,
    ),
  );
  const resources = '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs';
  expect(await machine.run('cat', resources)).toContain('backend masters');
  expect(world.kubelet(machine).troubles()).toEqual([]);
  const url = `http://${machine.node.address}:9444/haproxy_ready`;
  expect(await world.bed.client.run('curl', '-sSf', url)).toContain('Service ready');
  expect(await lostSince(client, fromMs, world.bed.events())).toEqual([]);
});

test('two nodes on shell pods and one on ours hold one VIP together, and either kind takes over from the other', async () => {
  const [ours] = changed;
  expect(changed).toHaveLength(1);
  expect(await drive(changed)).toBe(ours);
  expect(unchanged()).toContain(await drive(unchanged()));
});

test('the others are changed node by node: one holds the VIP all the way, then they are all ours', async () => {
  const fromMs = monotonicMs();
  for (const machine of unchanged()) {
    await change(machine);
    await rested();
  }
  expect(changed).toHaveLength(3);
  for (const machine of changed) await ready(world, machine);
  expect(await lostSince(client, fromMs, world.bed.events())).toEqual([]);
});

test('hawser uninstall puts the shell pods back, and they hold the VIP with ours', async () => {
  const [machine] = changed;
  if (machine === undefined) throw new Error('Cannot find a node that was changed');
  await uninstall(machine);
  changed.shift();
  await renderShellPods(machine, world.bed);
  await shellPodsRun(machine);
  expect(await drive([machine])).toBe(machine);
});
