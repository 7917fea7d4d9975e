import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { DrillReport } from '../../src/vip/steering/drill-report.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { PROBE_GAP_MS } from '../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { type Holding, takeOvers } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import { blackoutMs, lostCount, type Probe, probesWithin } from '../helpers/vrrp/probes.ts';
import { typed } from '../helpers/vrrp/typed.ts';
import { openVipWorld } from './vip-world.ts';

/** What a drill reports is compared with what a client on another machine has met with, and with the kernel's own events. */

const AWAY_MS = 4_000;
/**
 * Both clients begin something every 20 ms, give up after a time of their own, and learn of a move on their own ways; both
 * may be late on a busy machine. A gap that is not seen, or seen twice, is far beyond.
 */
const AGREE_WITHIN_MS = 600;

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld();
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

interface Drilled {
  readonly report: DrillReport;
  /** Of the client on another machine, in the time of the drill. */
  readonly probes: readonly Probe[];
  readonly takings: readonly Holding[];
}

async function drill(holder: BedNode): Promise<Drilled> {
  const fromMs = monotonicMs();
  const { exitCode, report, text } = await typed(holder, 'drill', '--away', `${AWAY_MS}ms`, '--json');
  const toMs = monotonicMs();
  expect(exitCode, text).toBe(0);
  expect(await scene.rested()).toBe(holder);
  const probes = probesWithin(scene.client.probes(), fromMs, toMs);
  // `typed` has held it against the published schema.
  return {
    report: report as unknown as DrillReport,
    probes,
    takings: takeOvers(scene.bed.events(), fromMs, toMs),
  };
}

function expectAgreement({ report, probes, takings }: Drilled, holder: BedNode): void {
  expect(report.outcome).toBe('moved-and-back');
  const [there, back] = takings;
  expect(takings.map(({ node }) => node)).toEqual([expect.not.stringContaining(holder.name), holder.name]);
  expect(report.there?.to).toContain(there?.node);
  expect(report.back?.to).toBe('this node');
  const awayMs = (back?.fromMs ?? 0) - (there?.fromMs ?? 0);
  const toldMs = AWAY_MS - (report.there?.tookMs ?? 0) + (report.back?.tookMs ?? 0);
  expect(Math.abs(toldMs - awayMs)).toBeLessThan(AGREE_WITHIN_MS);
  const gapMs = blackoutMs(probes, PROBE_GAP_MS);
  const { attempts, failed, longestGapMs } = report.client ?? {};
  const other = { attempts: probes.length, failed: lostCount(probes), longestGapMs: Math.round(gapMs) };
  console.info({
    away: { told: toldMs, seen: Math.round(awayMs) },
    drill: { attempts, failed, longestGapMs },
    other,
  });
  expect(Math.abs((report.client?.longestGapMs ?? Number.NaN) - gapMs)).toBeLessThan(AGREE_WITHIN_MS);
}

test('where the next holder serves, both clients lose next to nothing', async () => {
  const holder = await scene.rested();
  const drilled = await drill(holder);
  expectAgreement(drilled, holder);
  expect(lostCount(drilled.probes)).toBeLessThan(AGREE_WITHIN_MS / PROBE_GAP_MS);
}, 240_000);

test('if the next holder refuses clients, both clients lose the VIP for as long as it was there', async () => {
  const holder = await scene.rested();
  const others = scene.members.filter((node) => node !== holder);
  const closed = `add table inet closed
add chain inet closed input { type filter hook input priority 0; }
add rule inet closed input tcp dport ${stackPorts.lb} iifname eth0 drop`;
  for (const { namespace } of others) await namespace.run('nft', closed);
  const drilled = await drill(holder);
  expectAgreement(drilled, holder);
  const { client } = drilled.report;
  expect(client?.longestGapMs).toBeGreaterThan(AWAY_MS / 2);
  const shares = [client?.failed ?? 0, lostCount(drilled.probes)].map(
    (failed, index) => failed / ((index === 0 ? client?.attempts : drilled.probes.length) ?? 1),
  );
  expect(Math.abs((shares[0] ?? 0) - (shares[1] ?? 1))).toBeLessThan(0.15);
}, 240_000);
