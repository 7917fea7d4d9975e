import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { BedClient } from '../helpers/vrrp/bed-client.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { lostSince, movesSince, REQUEST_TIMEOUT_MS } from './helpers/client-losses.ts';
import { containers, PATIENCE_MS, ready, statesOf, waitForPods } from './helpers/health.ts';
import { install, writeKubeconfig } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { containerState } from './helpers/pod-runner.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { printStoryOf } from './helpers/print-story.ts';
import { sigkill } from './helpers/sigkill.ts';

let world: PodWorld;
let client: BedClient;
beforeAll(async () => {
  world = await createPodWorld(3);
  await Promise.all(world.machines.map((machine) => world.startApi(machine)));
  await Promise.all(world.machines.map((machine) => writeKubeconfig(machine, world.bed)));
  await Promise.all(world.machines.map((machine) => install(machine, world.bed)));
  await allReady();
  client = await world.bed.startClient(6443, REQUEST_TIMEOUT_MS);
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(printStoryOf(() => world));
beforeEach(async () => {
  await allReady();
  await waitFor('the client to be served', () => client.calmFor(2_000), PATIENCE_MS);
});

async function allReady(): Promise<void> {
  for (const machine of world.machines) await ready(world, machine);
}

function holder(): Machine {
  const found = world.machines.find(({ node }) => world.bed.holders()[0] === node);
  if (found === undefined) throw new Error('Cannot find the holder: no node has the VIP');
  return found;
}

async function kill(machine: Machine, { pod, name }: (typeof containers)[number]): Promise<number> {
  const { pid } = await containerState(machine, pod, name);
  const atMs = monotonicMs();
  sigkill(pid);
  await waitForPods(`${name} to run again`, async () => {
    const state = await containerState(machine, pod, name);
    return state.running && state.pid !== pid;
  });
  return atMs;
}

test('three nodes: every pod becomes healthy without a restart, and one node holds the VIP', async () => {
  for (const machine of world.machines) {
    expect(world.kubelet(machine).troubles()).toEqual([]);
    expect([...(await statesOf(machine)).values()].map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
  }
  expect(world.bed.holders()).toHaveLength(1);
});

test.each(containers)(
  '$name is killed on a node other than the holder: no request is lost, and the VIP stays',
  async (which) => {
    const before = holder();
    const other = world.machines.find((machine) => machine !== before);
    if (other === undefined) throw new Error('Cannot find another node');
    const atMs = await kill(other, which);
    await allReady();
    expect(movesSince(world.bed.events(), atMs)).toEqual([]);
    expect(await lostSince(client, atMs)).toEqual([]);
    expect(holder()).toBe(before);
  },
);

test.each(containers.filter(({ name }) => name.endsWith('-monitor')))(
  '$name is killed on the holder: no request is lost, and the VIP stays',
  async (which) => {
    const before = holder();
    const atMs = await kill(before, which);
    await allReady();
    expect(movesSince(world.bed.events(), atMs)).toEqual([]);
    expect(await lostSince(client, atMs)).toEqual([]);
    expect(holder()).toBe(before);
  },
);

test.each(containers.filter(({ name }) => !name.endsWith('-monitor')))(
  '$name is killed on the holder: another node takes the VIP, and only requests on the holder are lost',
  async (which) => {
    const before = holder();
    const atMs = await kill(before, which);
    const isElsewhere = () => world.bed.holders().some((node) => node !== before.node);
    await waitFor('another node to hold the VIP', isElsewhere, PATIENCE_MS);
    await allReady();
    const moves = movesSince(world.bed.events(), atMs);
    const taken = moves.find(({ holds, node }) => holds && node !== before.node.name);
    const cuts = [{ atMs, untilMs: taken?.atMs ?? atMs }, ...moves];
    expect(await lostSince(client, atMs, cuts)).toEqual([]);
    expect(holder()).not.toBe(before);
  },
);

test('all nodes lose power at once, and everything recovers on its own before any API server is up', async () => {
  await Promise.all(world.machines.map((machine) => world.powerOff(machine)));
  expect(world.bed.holders()).toEqual([]);
  await Promise.all(world.machines.map((machine) => world.powerOn(machine)));
  await waitFor('one node to hold the VIP', () => world.bed.holders().length === 1, PATIENCE_MS);
  await Promise.all(world.machines.map((machine) => world.startApi(machine)));
  await allReady();
  await waitFor('the client to be served', () => client.calmFor(2_000), PATIENCE_MS);
});
