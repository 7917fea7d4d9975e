import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../helpers/wait-for.ts';
import { allWell, ready, statesOf, unwell } from './helpers/health.ts';
import { install, writeKubeconfig } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';

/** The way of docs/install.md, with a script in kubeadm's place: in this order, each step on what the last one left. */
let world: PodWorld;
let first: Machine;
let second: Machine;
beforeAll(async () => {
  world = await createPodWorld(2);
  const [one, two] = world.machines;
  if (one === undefined || two === undefined) throw new Error('Cannot test two nodes: there are fewer');
  [first, second] = [one, two];
  world.bed.setMembers([first.node]);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const atVip = (path: string) =>
  world.bed.client.run('curl', '-sSkf', '--max-time', '5', `https://${world.bed.vip}:6443${path}`);

const restartsOf = async (machine: Machine) =>
  [...(await statesOf(machine)).values()].map(({ restarts }) => restarts);

test('the first node holds the VIP before there is an API or a kubeconfig', async () => {
  await install(first, world.bed, { flags: ['--first-node'] });
  await waitFor('the VIP', () => world.bed.holders().includes(first.node), 120_000);
  await waitFor(
    'the monitors to be well',
    async () => !(await unwell(world.kubelet(first))).some((name) => name.endsWith('-monitor')),
    60_000,
  );
  expect(await restartsOf(first)).toEqual([0, 0, 0, 0]);
});

test("the VIP leads to the node's own API server as soon as that listens, which is what kubeadm init waits for", async () => {
  await expect(atVip('/readyz')).rejects.toThrow('Cannot run');
  await world.startApi(first);
  expect(await atVip('/readyz')).toBe('ok');
});

test('the kubeconfig is renamed into place: HAProxy gets the API server, and the VIP leads there', async () => {
  await writeKubeconfig(first, world.bed);
  await ready(world, first);
  expect(await atVip('/readyz')).toBe('ok');
  expect(await restartsOf(first)).toEqual([0, 0, 0, 0]);
  expect(world.bed.holders()).toEqual([first.node]);
});

test('a node that joins does not take the VIP, and takes it when the first one has gone', async () => {
  await install(second, world.bed, { flags: ['--join'] });
  await world.startApi(second);
  await writeKubeconfig(second, world.bed);
  world.bed.setMembers([first.node, second.node]);
  await ready(world, second);
  expect(world.bed.holders()).toEqual([first.node]);
  expect(await restartsOf(second)).toEqual([0, 0, 0, 0]);
  await world.powerOff(first);
  await waitFor('the second node to hold the VIP', () => world.bed.holders().includes(second.node), 60_000);
  await allWell(world.kubelet(second));
  await waitFor('the VIP to answer', async () => (await atVip('/readyz')) === 'ok', 60_000);
});
