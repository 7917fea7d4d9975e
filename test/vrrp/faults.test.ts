import { afterAll, beforeAll, expect, test } from 'vitest';
import * as faults from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { haproxyGone, heldByAnother, movesOfRecovery, openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test('three nodes come up with one holder, and it serves the client', async () => {
  const holder = await scene.rested();
  expect(scene.bed.holders()).toEqual([holder]);
});

test.each([faults.nodeDeath, haproxyGone, faults.haproxyHang, faults.keepalivedTerm])(
  '$name: another node takes the VIP, and recovery does not move it back',
  async (fault) => {
    const troubled = await scene.rested();
    await fault.inject(scene, troubled);
    const next = await heldByAnother(scene, [troubled]);
    expect(await movesOfRecovery(scene, fault, troubled)).toEqual([]);
    expect(scene.bed.holders()).toEqual([next]);
  },
  240_000,
);

test('a killed API server moves no VIP, and the other servers answer the client', async () => {
  const holder = await scene.rested();
  await faults.apiKill.inject(scene, holder);
  expect(await scene.rested()).toBe(holder);
  expect(await movesOfRecovery(scene, faults.apiKill, holder)).toEqual([]);
}, 240_000);
