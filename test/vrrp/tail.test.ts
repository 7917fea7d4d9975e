import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeDeath } from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother, openVipWorld } from './vip-world.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

test("after the holder's node dies, the next holder sends no new connections to its API server", async () => {
  const troubled = await scene.rested();
  const logs = scene.members
    .filter((node) => node !== troubled)
    .map((node) => ({ node, ...logFromNow(node, 'haproxy') }));
  await nodeDeath.inject(scene, troubled);
  const next = await heldByAnother(scene, [troubled]);
  const log = logs.find(({ node }) => node === next);
  const setAside = await waitFor('the dead node to be set aside', () =>
    log?.lines().find(({ event }) => event === 'server-set-aside'),
  );
  expect(setAside).toMatchObject({ address: troubled.address });
  await nodeDeath.undo(scene, troubled);
  await scene.rested();
  const addresses = logs.flatMap(({ lines }) =>
    lines().flatMap(({ event, address }) => (event === 'server-set-aside' ? [address] : [])),
  );
  expect(new Set(addresses)).toEqual(new Set([troubled.address]));
}, 240_000);
