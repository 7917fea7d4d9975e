import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { OrderReport } from '../../src/vip/orders/order-report.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { PROBE_GAP_MS } from '../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import { blackoutMs, probesWithin } from '../helpers/vrrp/probes.ts';
import { typed } from '../helpers/vrrp/typed.ts';
import { openVipWorld } from './vip-world.ts';

/** Compares what `move-vip` reports with what a client on another machine saw. */

/** Both clients connect every 20 ms, and both may be late on a busy machine. A missed gap would be far longer. */
const AGREE_WITHIN_MS = 600;

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 300_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

async function moved(holder: BedNode) {
  const fromMs = monotonicMs();
  const { exitCode, report, text } = await typed(holder, 'move-vip', '--json');
  expect(exitCode, text).toBe(0);
  const toMs = monotonicMs();
  const [taking, ...more] = takeOvers(scene.bed.events(), fromMs, toMs);
  expect(more).toEqual([]);
  // `typed` has checked it against the published schema.
  const { probe } = report as unknown as OrderReport;
  expect(probe).toMatchObject({ from: holder.name, how: 'https', holder: taking?.node });
  const gapMs = blackoutMs(probesWithin(scene.client.probes(), fromMs, toMs), PROBE_GAP_MS);
  console.info({ probe, otherClientGapMs: Math.round(gapMs) });
  return { probe, gapMs };
}

test('move-vip reports the gap that a client on another machine saw', async () => {
  const { probe, gapMs } = await moved(await scene.rested());
  expect(Math.abs((probe?.longestGapMs ?? Number.NaN) - gapMs)).toBeLessThan(AGREE_WITHIN_MS);
  expect(probe?.answeredMs).not.toBeNull();
}, 240_000);

test('move-vip reports that nothing answers if the new holder refuses clients', async () => {
  const holder = await scene.rested();
  const closed = `add table inet closed
add chain inet closed input { type filter hook input priority 0; }
add rule inet closed input tcp dport ${stackPorts.lb} iifname eth0 drop`;
  const others = scene.members.filter((node) => node !== holder);
  for (const { namespace } of others) await namespace.run('nft', closed);
  const { probe } = await moved(holder);
  expect(probe).toMatchObject({ answeredMs: null });
  expect(probe?.failed).toBeGreaterThan(0);
}, 240_000);
