import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { BedClient } from '../helpers/vrrp/bed-client.ts';
import { probesWithin } from '../helpers/vrrp/probes.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { lostSince, movesSince, REQUEST_TIMEOUT_MS } from './helpers/client-losses.ts';
import { createContainerEngine } from './helpers/container-engine.ts';
import { containers, PATIENCE_MS, ready, waitForPods } from './helpers/health.ts';
import { install, writeKubeconfig } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { type PreviousImage, providePrevious } from './helpers/previous-image.ts';
import { printStoryOf } from './helpers/print-story.ts';
import { startWalk, type Walk } from './helpers/walk.ts';

/** Upgrades three nodes from the previous release's image to this one and back, as in docs/upgrade.md, under load. */
let world: PodWorld;
let walk: Walk;
let client: BedClient;
let previous: PreviousImage;

beforeAll(async () => {
  const { dir, settings } = inject('builder');
  previous = await providePrevious(createContainerEngine({ dir, settings }));
  world = await createPodWorld(3);
  const { machines, bed } = world;
  await Promise.all(machines.map((machine) => world.startApi(machine)));
  await Promise.all(machines.map((machine) => writeKubeconfig(machine, bed)));
  await Promise.all(machines.map((machine) => install(machine, bed, { image: previous.tag })));
  for (const machine of machines) await ready(world, machine);
  client = await bed.startClient(6443, REQUEST_TIMEOUT_MS);
  walk = startWalk(world, [['docs/upgrade.md', '## A new version of hawser']], { VIP: bed.vip });
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(printStoryOf(() => world));

test('the nodes are upgraded one by one: the VIP moves once, and only requests during the move are lost', async () => {
  await measure(previous.tag, inject('builder').tag, `from ${previous.from}`);
});

test('the nodes go back to the previous image the same way, and lose no more', async () => {
  await measure(inject('builder').tag, previous.tag, `back to ${previous.from}`);
});

/** When repeated, it finds nodes that have already changed: they go back first. */
async function measure(before: string, after: string, what: string): Promise<void> {
  const running = await Promise.all(world.machines.map((machine) => runsImage(machine, before)));
  if (running.includes(false)) await changeAll(before);
  await waitFor('the client to be served', () => client.calmFor(2_000), PATIENCE_MS);
  const fromMs = monotonicMs();
  const last = holder();
  await changeAll(after);
  await waitFor('the client to be served', () => client.calmFor(2_000), PATIENCE_MS);
  const moves = movesSince(world.bed.events(), fromMs);
  const unexplained = await lostSince(client, fromMs, moves);
  report(what, fromMs, moves.filter(({ holds }) => holds).length, unexplained);
  expect(unexplained).toEqual([]);
  expect(moves.filter(({ holds }) => holds)).toHaveLength(1);
  expect(holder()).not.toBe(last);
}

async function changeAll(IMAGE: string): Promise<void> {
  const last = holder();
  for (const machine of [...world.machines.filter((each) => each !== last), last]) {
    await walk.typeAll(machine, walk.commands('on each node that is upgraded'), { IMAGE });
    await waitForPods(`${IMAGE} to run on ${machine.node.name}`, () => runsImage(machine, IMAGE));
    await ready(world, machine);
    await walk.typeAll(machine, walk.commands('once its new pods are ready'), { IMAGE });
  }
}

function report(what: string, fromMs: number, moves: number, unexplained: readonly string[]): void {
  const probes = probesWithin(client.probes(), fromMs, monotonicMs());
  const lost = probes.filter(({ reason }) => reason !== null).length;
  const seconds = Math.round((monotonicMs() - fromMs) / 1_000);
  console.log(
    `upgrade ${what}: ${probes.length} requests in ${seconds} s, ${lost} lost, ${unexplained.length} of them not while the VIP moved; moves of the VIP: ${moves}`,
  );
  for (const each of unexplained.slice(0, 10)) console.log(`lost: ${each}`);
}

function holder(): Machine {
  const found = world.machines.find(({ node }) => world.bed.holders()[0] === node);
  if (found === undefined) throw new Error('Cannot find the holder: no node has the VIP');
  return found;
}

async function runsImage(machine: Machine, image: string): Promise<boolean> {
  const named = containers.map(({ pod, name }) => `${pod}-${name}`);
  const { stdout } = await machine.engine.attempt(['inspect', '--format', '{{.ImageName}}', ...named]);
  return stdout === `localhost/${image}\n`.repeat(containers.length);
}
