import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { haproxyMonitorStatusSchema } from '../../src/api-lb/haproxy-monitor-status.ts';
import { isOlder } from '../../src/engine/system/text/version-order.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { parseKeepalivedBuild } from '../../src/keepalived/build.ts';
import { type BedClient, startClient } from '../helpers/vrrp/bed-client.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { lostSince, movesSince, REQUEST_TIMEOUT_MS } from './helpers/client-losses.ts';
import { createContainerEngine } from './helpers/container-engine.ts';
import {
  allWell,
  containers,
  PATIENCE_MS,
  ready,
  redirects,
  statesOf,
  waitForPods,
} from './helpers/health.ts';
import { writeSettings } from './helpers/install.ts';
import type { Machine } from './helpers/machine.ts';
import { createPodWorld, type PodWorld } from './helpers/pod-world.ts';
import { printStoryOf } from './helpers/print-story.ts';
import { startWalk, type Walk } from './helpers/walk.ts';

/** The README and then docs/upgrade.md, command by command. The tests run in this order, each on what the previous one left. */
let world: PodWorld;
let walk: Walk;
let client: BedClient;
let first: Machine;
let second: Machine;
let third: Machine;
let spare: Machine;
/** The nodes in the cluster. */
let members: readonly Machine[] = [];
/** The upgrade changes it. */
let image: { readonly IMAGE: string } = { IMAGE: inject('builder').tag };
const NEW_VIP = '10.77.0.150';

beforeAll(async () => {
  world = await createPodWorld(4);
  const [one, two, three, four] = world.machines;
  if (!one || !two || !three || !four) throw new Error('Cannot walk: there are fewer than four nodes');
  [first, second, third, spare] = [one, two, three, four];
  world.bed.setMembers([]);
  for (const machine of world.machines) await writeSettings(machine);
  const documents = [['README.md', '## Install on a new cluster'], ['docs/upgrade.md']] as const;
  walk = startWalk(world, documents, { VIP: world.bed.vip, ...image });
});
afterAll(() => world?.[Symbol.asyncDispose]());
beforeEach(printStoryOf(() => world));

const atVip = (path: string) =>
  world.bed.client.run('curl', '-sSkf', '--max-time', '5', `https://${world.bed.vip}:6443${path}`);

async function startedOnce(machine: Machine): Promise<void> {
  expect(world.kubelet(machine).troubles()).toEqual([]);
  expect(world.kubelet(machine).killed()).toEqual([]);
  expect([...(await statesOf(machine)).values()].map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0]);
}

function holder(): Machine {
  const found = members.find(({ node }) => world.bed.holders()[0] === node);
  if (found === undefined) throw new Error('Cannot find the holder: no member has the VIP');
  return found;
}

const othersThan = (machine: Machine) => members.filter((each) => each !== machine);

async function servesAll(): Promise<void> {
  for (const machine of members) await ready(world, machine);
  await waitFor('the client to be served', () => client.calmFor(2_000), PATIENCE_MS);
}

/** The servers in the configuration that a node's HAProxy runs. */
async function serversOf(machine: Machine): Promise<readonly string[]> {
  const page = await machine.run('curl', '-sSf', '--max-time', '10', 'http://127.0.0.1:29446/status');
  const { servers } = haproxyMonitorStatusSchema.parse(JSON.parse(page));
  return (servers ?? []).map(({ name }) => name);
}

async function waitForServers(): Promise<void> {
  const names = members.map(({ node }) => node.name).join();
  for (const machine of members)
    await waitForPods(`${names} in HAProxy of ${machine.node.name}`, async () => {
      return [...(await serversOf(machine))].sort().join() === names;
    });
}

test('the first node holds the VIP before there is an API or a kubeconfig', async () => {
  await getCommand(first);
  const commands = walk.commands('on the first node');
  await walk.typeAll(first, commands.slice(0, commands.findIndex(isInit)));
  await waitFor('the VIP', () => world.bed.holders().includes(first.node), PATIENCE_MS);
  await allWell(world.kubelet(first));
  await startedOnce(first);
});

const getCommand = (machine: Machine) =>
  walk.typeAll(
    machine,
    walk.commands('on each control-plane node: the hawser command, a shell script (docs/install.md)'),
    image,
  );

const isInit = (command: string) => command.startsWith('kubeadm init ');

test("the VIP leads to the node's own API server as soon as it listens, which kubeadm init waits for", async () => {
  await expect(atVip('/readyz')).rejects.toThrow('Cannot run');
  await walk.typeAll(first, walk.commands('on the first node').filter(isInit));
  expect(await atVip('/readyz')).toBe('ok');
});

test('once the kubeconfig is written, HAProxy gets the API server and the VIP leads to it', async () => {
  const commands = walk.commands('on the first node');
  await walk.typeAll(first, commands.slice(commands.findIndex(isInit) + 1));
  members = [first];
  await ready(world, first);
  await waitForServers();
  expect(await atVip('/readyz')).toBe('ok');
  await startedOnce(first);
  expect(world.bed.holders()).toEqual([first.node]);
});

async function join(machine: Machine): Promise<void> {
  await getCommand(machine);
  await walk.typeAll(machine, walk.commands('on each further node'), image);
  members = [...members, machine];
  await servesAll();
  await waitForServers();
  await startedOnce(machine);
}

test('a second node joins as a peer and a server, and after one take-over time the VIP is where it was', async () => {
  client = await world.bed.startClient(6443, REQUEST_TIMEOUT_MS);
  const fromMs = monotonicMs();
  await join(second);
  expect(await lostSince(client, fromMs, movesSince(world.bed.events(), fromMs))).toEqual([]);
  expect(world.bed.holders()).toEqual([first.node]);
});

test('a third node joins: the VIP does not move, and no request is lost', async () => {
  const fromMs = monotonicMs();
  await join(third);
  expect(movesSince(world.bed.events(), fromMs)).toEqual([]);
  expect(await lostSince(client, fromMs)).toEqual([]);
});

test('Kubernetes is upgraded on the holder: its API server stops once the VIP has left, and comes back', async () => {
  const machine = holder();
  const fromMs = monotonicMs();
  await walk.typeAll(machine, walk.commands("before a node's API server is stopped"));
  await waitFor('the VIP to be elsewhere', () => othersThan(machine).includes(holder()), PATIENCE_MS);
  const api = machine.node.processes().filter(({ argv }) => argv.join(' ').includes('api-server/main.ts'));
  expect(api).toHaveLength(1);
  const stoppedMs = monotonicMs();
  sendSignal(
    api.map(({ id }) => id),
    'SIGTERM',
  );
  await waitForEnd(api.map(({ id }) => id));
  const stop = { atMs: stoppedMs, untilMs: monotonicMs() };
  await waitFor('the client to be served without it', () => client.calmFor(3_000), PATIENCE_MS);
  await world.startApi(machine);
  await walk.typeAll(machine, walk.commands('once it is back'));
  await servesAll();
  const cuts = [...movesSince(world.bed.events(), fromMs), stop];
  expect(await lostSince(client, fromMs, cuts)).toEqual([]);
  expect(holder()).not.toBe(machine);
});

test('an upgrade of the image, node by node and with the VIP moved first, loses only requests during the move', async () => {
  image = { IMAGE: 'hawser:next' };
  const { dir, settings, tag } = inject('builder');
  await createContainerEngine({ dir, settings }).podman('tag', tag, image.IMAGE);
  const fromMs = monotonicMs();
  const last = holder();
  for (const machine of [...othersThan(last), last]) {
    await walk.typeAll(machine, walk.commands('on each node that is upgraded'), image);
    await waitForPods(`${image.IMAGE} to run on ${machine.node.name}`, () => runsImage(machine));
    await ready(world, machine);
    await walk.typeAll(machine, walk.commands('once its new pods are ready'), image);
  }
  await servesAll();
  const moves = movesSince(world.bed.events(), fromMs);
  expect(await lostSince(client, fromMs, moves)).toEqual([]);
  // Once: from the holder, when all others were upgraded.
  expect(holder()).not.toBe(last);
});

async function runsImage(machine: Machine): Promise<boolean> {
  const named = containers.map(({ pod, name }) => `${pod}-${name}`);
  const { stdout } = await machine.engine.attempt(['inspect', '--format', '{{.ImageName}}', ...named]);
  return stdout === `localhost/${image.IMAGE}\n`.repeat(containers.length);
}

test('a node is replaced by one with another name and address: the VIP does not move, and no request is lost', async () => {
  const leaving = [second, third].find((machine) => machine !== holder());
  const other = othersThan(holder()).find((machine) => machine !== leaving);
  if (leaving === undefined || other === undefined)
    throw new Error('Cannot find a node that is not the holder');
  const fromMs = monotonicMs();
  await walk.typeAll(leaving, walk.commands('on the node that leaves'));
  await walk.typeAll(other, walk.commands('on another node'), { NODE: leaving.node.name });
  members = othersThan(leaving);
  await waitForServers();
  // No new connections arrive there.
  const servedMs = monotonicMs();
  const answered = () => monotonicMs() - servedMs > REQUEST_TIMEOUT_MS && client.calmFor(2_000);
  await waitFor('what was on its way to be answered', answered, PATIENCE_MS);
  await walk.typeAll(leaving, walk.commands('on the node that leaves, last'));
  await waitFor('nothing to run there', () => leaving.node.processes().length === 0, PATIENCE_MS);
  await join(spare);
  expect(movesSince(world.bed.events(), fromMs)).toEqual([]);
  expect(await lostSince(client, fromMs)).toEqual([]);
});

test('the VIP changes: the old one works until the last node has changed, then the new one does, and no request is lost', async () => {
  const has = async (machine: Machine, vip: string) =>
    (await machine.run('ip', '-o', 'address', 'show', 'to', vip)) !== '';
  const holdersOfNew = async () => {
    const held = await Promise.all(members.map((machine) => has(machine, NEW_VIP)));
    return members.filter((_, place) => held[place]);
  };
  const fromMs = monotonicMs();
  const last = holder();
  const change = async (machine: Machine) => {
    const before = await statesOf(machine);
    await walk.typeAll(machine, walk.commands('on each node, the holder last'), { NEW_VIP, ...image });
    await waitForPods(`${machine.node.name} to have new pods`, async () => {
      const now = await statesOf(machine);
      return [...now].every(([name, { pid, running }]) => running && pid !== before.get(name)?.pid);
    });
    await allWell(world.kubelet(machine));
    await waitForPods(`the redirect on ${machine.node.name}`, () => redirects(machine));
  };
  for (const machine of othersThan(last)) await change(machine);
  // keepalived 2.2 (the image on Debian 12) holds the new VIP as well as the old one from the first node on.
  const early = await holdersOfNew();
  expect(early).toHaveLength((await countsAdvertsOfOtherVips(last)) ? 0 : 1);
  expect(movesSince(world.bed.events(), fromMs)).toEqual([]);
  expect(await lostSince(client, fromMs)).toEqual([]);
  await change(last);
  await waitForPods('the new VIP', async () => (await holdersOfNew()).length === 1);
  if (early.length > 0) expect(await holdersOfNew()).toEqual(early);
  expect(world.bed.holders()).toEqual([]);
  await using newClient = await startClient(world.bed.client.prefix, NEW_VIP, 6443, REQUEST_TIMEOUT_MS);
  await waitFor('clients of the new VIP to be served', () => newClient.calmFor(2_000), PATIENCE_MS);
});

/** Whether the image's keepalived counts adverts for another VIP as its own group's (docs/internals/decisions/0031). */
async function countsAdvertsOfOtherVips(machine: Machine): Promise<boolean> {
  const argv = ['run', '--rm', '--net=none', '--entrypoint', 'sh', image.IMAGE];
  const printed = await machine.engine.podman(...argv, '-c', 'keepalived --version 2>&1');
  const build = parseKeepalivedBuild(printed);
  if (build === undefined) throw new Error(`Cannot tell the version of keepalived: it printed "${printed}"`);
  return !isOlder(build.version, '2.3.0');
}

test('every command of the documents was typed, except the import of a release', () => {
  expect(walk.untouched()).toEqual([expect.stringContaining('with the image as a file')]);
});
