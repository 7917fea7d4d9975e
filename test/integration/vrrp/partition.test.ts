import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../../src/system/monotonic-clock.ts';
import type { Scene } from '../../bench/failover/scene.ts';
import { takeOvers } from '../../helpers/vrrp/holdings.ts';
import { waitFor } from '../../helpers/wait-for.ts';
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
  'a holder cut off %s: each side has one, and after healing one is left and nobody takes it anew',
  async (_how, withClient) => {
    const holder = await scene.rested();
    await scene.bed.split(withClient ? [holder, 'client'] : [holder]);
    await waitFor('a holder on each side', () => scene.bed.holders().length === 2, 60_000);
    await waitFor('the client to be served', () => scene.client.calmFor(1_000), 60_000);
    const fromMs = monotonicMs();
    await scene.bed.heal();
    await waitFor('one holder', () => scene.bed.holders().length === 1, 60_000);
    await scene.rested();
    expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
    expect(scene.bed.holders()).toHaveLength(1);
  },
  240_000,
);
