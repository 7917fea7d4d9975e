import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Scene } from '../bench/failover/scene.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test.each([
  ['with the client', true],
  ['without the client', false],
])(
  'a holder cut off %s: each side has a holder; after the split heals one is left and the VIP does not move again',
  async (_how, withClient) => {
    const holder = await scene.rested();
    await scene.bed.split(withClient ? [holder, 'client'] : [holder]);
    await waitFor('a holder on each side', () => scene.bed.holders().length === 2);
    await waitFor('the client to be served', () => scene.client.calmFor(1_000));
    const fromMs = monotonicMs();
    await scene.bed.heal();
    await waitFor('one holder', () => scene.bed.holders().length === 1);
    await scene.rested();
    expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
    expect(scene.bed.holders()).toHaveLength(1);
  },
  240_000,
);

const knowsItsPeers = async (node: BedNode) => {
  const entries = (await node.namespace.run('ip', 'neigh', 'show')).trim().split('\n');
  const ofPeers = scene.members.filter((each) => each !== node).map(({ address }) => `${address} `);
  return ofPeers.every((peer) => entries.some((line) => line.startsWith(peer) && line.includes('lladdr')));
};

/** By then the kernel has forgotten a MAC that is not confirmed: 1.5 s reachable (set below), 5 s of delay, 3 s of probes. */
const FORGOTTEN_AFTER_MS = 15_000;

test('in a partition each holder knows where its peers are, however long the partition lasts', async () => {
  const holder = await scene.rested();
  for (const { namespace, device } of scene.members) {
    await namespace.run(
      'ip',
      'ntable',
      'change',
      'name',
      'arp_cache',
      'dev',
      device,
      'base_reachable',
      '1000',
    );
    // Known entries keep their old timeout.
    await namespace.run('ip', 'neigh', 'flush', 'dev', device);
  }
  for (const node of scene.members)
    await waitFor(`${node.name} to find its peers`, () => knowsItsPeers(node));
  await scene.bed.split([holder]);
  const fromMs = monotonicMs();
  await waitFor('a holder on each side', () => scene.bed.holders().length === 2);
  await waitFor('the kernel to forget', () => monotonicMs() - fromMs > FORGOTTEN_AFTER_MS);
  for (const node of scene.bed.holders())
    await waitFor(`${node.name} to know its peers still`, () => knowsItsPeers(node));
  await scene.bed.heal();
  await scene.rested();
}, 240_000);

test('a cable unplugged for two seconds moves no VIP when it is plugged in again', async () => {
  const holder = await scene.rested();
  await scene.bed.unplug(holder);
  const others = scene.members.filter((node) => node !== holder);
  // No longer than this: the kernel soon drops what it could not send.
  const next = () => others.find((node) => scene.bed.holders().includes(node));
  await waitFor('another holder', () => next() !== undefined);
  const logs = others.map((node) => logFromNow(node, 'keepalived'));
  const fromMs = monotonicMs();
  await scene.bed.plug(holder);
  const waiting = async () => (await holder.namespace.run('ip', 'neigh', 'show')).includes('INCOMPLETE');
  await waitFor('nothing to wait for its neighbours', async () => !(await waiting()));
  await waitFor('it to take part again', () => takesPart(holder));
  expect(await scene.rested()).toBe(next());
  expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
  // The one that it tried to send when its link was already down.
  for (const { text } of logs) expect(text()).not.toContain('priority 0');
}, 240_000);
