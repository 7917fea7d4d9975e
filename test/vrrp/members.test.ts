import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { addPeer, removePeer } from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { overlapMs, takeOvers } from '../helpers/vrrp/holdings.ts';
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
