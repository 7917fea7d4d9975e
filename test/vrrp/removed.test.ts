import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { apiKill } from '../bench/failover/faults.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import { apiServerAnswers, startApiServer } from '../helpers/vrrp/api-server.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { overlapMs, quietFor, takeOvers } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';

const WATCH_MS = 60_000;
/** Longer than a node without permission waits, and longer than FAULT lasts without a monitor. */
const SHORT_WATCH_MS = 20_000;
const PATIENCE_MS = 60_000;

let scene: Scene;
let removed: BedNode | undefined;
let fromMs: number;

/** The others forget a node late, so that it acts first even if its monitor starts slowly on a busy machine. */
beforeEach(async () => {
  removed = undefined;
  scene = await openScene('hawser', {
    advertIntervalMs: 500,
    flags: {
      keepalived: ['--monitor-timeout', '10s'],
      'keepalived-monitor': ['--settle', '8s'],
    },
    own: (node, part) => ({
      prefix: [],
      flags: node === removed && part === 'keepalived-monitor' ? ['--settle', '500ms'] : [],
    }),
  });
  const holder = await scene.rested();
  await waitFor('every node to take part', () => scene.members.every(takesPart), PATIENCE_MS);
  removed = scene.members.find((each) => each !== holder);
  fromMs = monotonicMs();
}, 240_000);
afterEach(() => scene[Symbol.asyncDispose]());

function theOneRemoved(): BedNode {
  if (removed === undefined) throw new Error('no node is removed');
  return removed;
}

async function killMonitors(node: BedNode): Promise<void> {
  const monitors = node.processes().filter(({ argv }) => argv.includes('monitor'));
  const ids = monitors.map(({ id }) => id);
  sendSignal(ids, 'SIGKILL');
  await waitForEnd(ids);
}

const others = () => scene.members.filter((each) => each !== removed);

/** Resolves after a minute or `forMs`, or as soon as another node has taken the VIP. */
async function watch(forMs = WATCH_MS): Promise<void> {
  const beganMs = monotonicMs();
  const taken = () => takeOvers(scene.bed.events(), fromMs, monotonicMs()).length > 0;
  await waitFor('the time to pass', () => taken() || monotonicMs() - beganMs >= forMs, 2 * forMs);
  expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
  expect(overlapMs(scene.bed.events(), fromMs, monotonicMs())).toBe(0);
}

test('a removed node whose monitors restart does not become a second holder, and takes part again once it is listed', async () => {
  const node = theOneRemoved();
  await killMonitors(node);
  scene.bed.setMembers(others());
  await scene.stack.start(node);
  await watch();
  expect(takesPart(node)).toBe(false);
  expect(existsSync(node.at('keepalived.conf'))).toBe(false);

  scene.bed.setMembers([...scene.members, scene.guest]);
  await waitFor(`${node.name} to take part again`, () => takesPart(node), PATIENCE_MS);
  expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
}, 400_000);

test('a removed node that reboots with its old keepalived.conf does not become a second holder', async () => {
  const node = theOneRemoved();
  await scene.bed.powerOff(node);
  scene.bed.setMembers(others());
  await scene.rested();
  expect(existsSync(node.at('keepalived.conf'))).toBe(true);
  await scene.bed.powerOn(node);
  startApiServer(scene.bed, node);
  await waitFor('its API server', () => apiServerAnswers(node), PATIENCE_MS);
  await scene.stack.start(node);
  await watch();
  expect(takesPart(node)).toBe(false);
  expect(existsSync(node.at('keepalived.conf'))).toBe(false);
}, 400_000);

/** Resolves once the VIP has settled: the load balancers lose their last server one after the other. */
async function endEveryApiServer(): Promise<void> {
  for (const each of others()) await apiKill.inject(scene, each);
  const isCalm = () => quietFor(scene.bed.events(), 5_000) && scene.bed.holders().length === 1;
  await waitFor('one holder', isCalm, PATIENCE_MS);
  fromMs = monotonicMs();
}

const forgets = (each: BedNode) =>
  !readFileSync(each.at('keepalived.conf'), 'utf8').includes(theOneRemoved().address);

test('a removed node that reboots and finds no API server stays out while another node holds the VIP, with or without its monitor', async () => {
  const node = theOneRemoved();
  await scene.bed.powerOff(node);
  scene.bed.setMembers(others());
  await waitFor('the others to forget it', () => others().every(forgets), PATIENCE_MS);
  await scene.rested();
  await endEveryApiServer();
  await scene.bed.powerOn(node);
  await scene.stack.start(node);
  await watch();
  expect(node.running('keepalived')).not.toEqual([]);

  await killMonitors(node);
  const saysSilent = () => readFileSync(node.at('keepalived.log'), 'utf8').includes('"monitor-silent"');
  await waitFor('its supervisor to miss the monitor', saysSilent, PATIENCE_MS);
  await watch(SHORT_WATCH_MS);
  await scene.stack.start(node);
  await watch(SHORT_WATCH_MS);

  for (const each of others()) {
    each.killAll();
    await scene.bed.powerOff(each);
  }
  await waitFor('it to hold the VIP', () => scene.bed.holders().includes(node), PATIENCE_MS);
}, 500_000);

test('a member that reboots and finds no API server takes part, because it hears the holder', async () => {
  const node = theOneRemoved();
  await scene.bed.powerOff(node);
  await endEveryApiServer();
  await scene.bed.powerOn(node);
  await scene.stack.start(node);
  await waitFor('it to take part', () => takesPart(node), PATIENCE_MS);
  expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
}, 400_000);

const programOf = (node: BedNode, verb: 'supervise' | 'monitor') => {
  const found = node.processes().filter(({ argv }) => argv.includes('keepalived') && argv.includes(verb));
  expect(found).toHaveLength(1);
  return found.map(({ id }) => id);
};

test('a node that is listed again stays out if the holder, which it hears, forgets it late', async () => {
  const node = theOneRemoved();
  const holder = await scene.rested();
  const supervisor = programOf(holder, 'supervise');
  const monitor = programOf(holder, 'monitor');
  // Its keepalived keeps sending adverts to the node until the supervisor gets to the reload.
  sendSignal(supervisor, 'SIGSTOP');
  scene.bed.setMembers(others());
  await waitFor('the holder to ask for a reload without it', () => forgets(holder), PATIENCE_MS);
  sendSignal(monitor, 'SIGSTOP');
  scene.bed.setMembers(scene.members);
  await waitFor('the node to have the list', () => existsSync(node.at('keepalived.conf')), PATIENCE_MS);
  // Long enough to check whether the holder is heard, but not to trust it.
  const startedMs = monotonicMs();
  await waitFor(
    'it to hear the holder',
    () => takesPart(node) || monotonicMs() - startedMs > 5_000,
    PATIENCE_MS,
  );
  sendSignal(supervisor, 'SIGCONT');
  await watch(SHORT_WATCH_MS / 4);
  sendSignal(monitor, 'SIGCONT');
  await waitFor('the holder to take it up again', () => !forgets(holder), PATIENCE_MS);
  await waitFor('it to take part', () => takesPart(node), PATIENCE_MS);
  await watch(SHORT_WATCH_MS / 4);
}, 400_000);

test('a node that is listed again and takes part is not forgotten by a holder with a slow supervisor', async () => {
  const node = theOneRemoved();
  const holder = await scene.rested();
  const supervisor = programOf(holder, 'supervise');
  sendSignal(supervisor, 'SIGSTOP');
  scene.bed.setMembers(others());
  await waitFor('the holder to ask for a reload without it', () => forgets(holder), PATIENCE_MS);
  scene.bed.setMembers(scene.members);
  const isListed = () => existsSync(node.at('keepalived.conf'));
  await waitFor('it to take part', () => isListed() && takesPart(node), PATIENCE_MS);
  sendSignal(supervisor, 'SIGCONT');
  await watch(SHORT_WATCH_MS);
}, 400_000);
