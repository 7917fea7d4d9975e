import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { addPeer, removePeer } from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { apiServerAnswers, startApiServer } from '../helpers/vrrp/api-server.ts';
import { overlapMs, takeOvers } from '../helpers/vrrp/holdings.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 240_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test.each([addPeer, removePeer])(
  '$name: $about, and the VIP stays where it is',
  async (change) => {
    const holder = await scene.rested();
    const fromMs = monotonicMs();
    await change.inject(scene, holder);
    expect(await scene.rested()).toBe(holder);
    const events = scene.bed.events();
    expect(takeOvers(events, fromMs, monotonicMs())).toEqual([]);
    expect(overlapMs(events, fromMs, monotonicMs())).toBe(0);
  },
  400_000,
);

test('a node is replaced in one step: the others run with both for a while, and the VIP stays where it is', async () => {
  const { bed, stack, members, guest } = scene;
  const holder = await scene.rested();
  const gone = members.find((each) => each !== holder);
  const staying = members.filter((each) => each !== gone);
  if (gone === undefined) throw new Error('no backup');
  await bed.powerOff(gone);
  startApiServer(bed, guest);
  await waitFor(`${guest.name} to answer`, () => apiServerAnswers(guest));
  const logs = staying.map((node) => logFromNow(node, 'keepalived-monitor'));
  const fromMs = monotonicMs();
  await stack.join(guest, [...staying, guest]);
  expect(await scene.rested()).toBe(holder);
  expect(takeOvers(bed.events(), fromMs, monotonicMs())).toEqual([]);
  expect(overlapMs(bed.events(), fromMs, monotonicMs())).toBe(0);
  for (const log of logs) {
    const served = log
      .lines()
      .flatMap(({ event, nodes, leaving }) =>
        event === 'configuration-reloaded' ? [{ nodes, leaving }] : [],
      );
    expect(served).toEqual([{ nodes: 3, leaving: 1 }, { nodes: 3 }]);
  }
}, 400_000);
