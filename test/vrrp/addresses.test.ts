import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { holdingsOf, overlapMs, takeOvers } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother, openVipWorld } from './vip-world.ts';

describe.each(['IPv4', 'IPv6'] as const)(
  'an administrator or a network manager on the holder, %s',
  (family) => {
    let scene: Scene;
    const length = family === 'IPv4' ? { vip: 32, node: 24 } : { vip: 128, node: 64 };
    beforeAll(async () => {
      scene = await openVipWorld(family);
    }, 120_000);
    afterAll(() => scene?.[Symbol.asyncDispose]());

    test.each(['del', 'flush'])(
      'removes the VIP (ip address %s): it comes back on one node',
      async (how) => {
        const troubled = await scene.rested();
        const vip = `${scene.bed.vip}/${length.vip}`;
        const fromMs = monotonicMs();
        const what = how === 'del' ? [vip, 'dev', troubled.device] : ['dev', troubled.device, 'to', vip];
        await troubled.namespace.run('ip', 'address', how, ...what);
        const removed = () =>
          holdingsOf(scene.bed.events()).some(({ toMs }) => toMs >= fromMs && toMs < Infinity);
        await waitFor('it to be seen gone', removed);
        await scene.rested();
        expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).not.toEqual([]);
        expect(overlapMs(scene.bed.events(), fromMs, monotonicMs())).toBe(0);
      },
      240_000,
    );

    test("removes the node's own address too: another node serves, and keeps serving once the address is back", async () => {
      const troubled = await scene.rested();
      await troubled.namespace.run('ip', 'address', 'flush', 'dev', troubled.device, 'scope', 'global');
      const next = await heldByAnother(scene, [troubled]);
      const own = [`${troubled.address}/${length.node}`, 'dev', troubled.device];
      const fromMs = monotonicMs();
      await troubled.namespace.run('ip', 'address', 'add', ...own, ...(family === 'IPv6' ? ['nodad'] : []));
      await waitFor('it to be fit again', () => takesPart(troubled));
      expect(await scene.rested()).toBe(next);
      expect(takeOvers(scene.bed.events(), fromMs, monotonicMs())).toEqual([]);
    }, 240_000);
  },
);
