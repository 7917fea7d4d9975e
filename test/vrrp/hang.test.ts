import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../bench/failover/scene.ts';
import { sendSignal } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother, openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test('a hung keepalived on the holder is replaced without an operator: one holder is left, and the node is healthy again', async () => {
  const troubled = await scene.rested();
  const before = troubled.running('keepalived');
  sendSignal(before, 'SIGSTOP');
  const next = await heldByAnother(scene, [troubled]);
  await waitFor(
    'another keepalived to take part',
    () =>
      !troubled.running('keepalived').some(({ pid }) => before.some((it) => it.pid === pid)) &&
      takesPart(troubled),
    30_000,
  );
  expect(await scene.rested()).toBe(next);
}, 240_000);
