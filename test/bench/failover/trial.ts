import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { PROBE_GAP_MS } from '../../helpers/vrrp/bed-client.ts';
import { holdingsOf, takeOvers } from '../../helpers/vrrp/holdings.ts';
import {
  blackoutMs,
  failureWindowMs,
  longestWaitMs,
  lostCount,
  probesWithin,
} from '../../helpers/vrrp/probes.ts';
import type { Fault, Measured } from './fault.ts';
import type { Scene } from './scene.ts';
import { observationMs } from './subject.ts';
import { type HoldingRecord, measureTwoHolders } from './two-holders.ts';

const CALM_MS = 2_500;
/** The checks of today's configurations need 33 s, and partial failures last a minute. */
const PATIENCE_MS = 90_000;

/** Injects a fault, undoes it and measures the effects of both. Leaves the scene as it was. */
export async function runTrial(scene: Scene, fault: Fault, signal: AbortSignal): Promise<Measured> {
  await fault.arrange?.(scene);
  const holder = await scene.rested();
  signal.throwIfAborted();
  const watch = observationMs(scene.subject);
  scene.client.forget();
  scene.patient?.forget();
  const faultMs = await fault.inject(scene, holder);
  await settled(scene, faultMs + watch.fault, signal);
  const undoMs = monotonicMs();
  await fault.undo(scene, holder);
  await settled(scene, undoMs + watch.recovery, signal);
  const measured = measure(scene, fault, holder.name, [faultMs, undoMs, monotonicMs()]);
  process.stderr.write(whatHappened(scene, faultMs));
  return measured;
}

/** Explains the figures: which node had the VIP when, and why probes failed. */
function whatHappened({ bed, client, kills }: Scene, faultMs: number): string {
  const ms = (atMs: number) => (Number.isFinite(atMs) ? `${Math.round(atMs - faultMs)}` : '');
  const held = holdingsOf(bed.events())
    .filter(({ toMs }) => toMs >= faultMs)
    .map(({ node, fromMs, toMs }) => `${node} ${ms(fromMs)}..${ms(toMs)}`);
  const apart = bed
    .partitions()
    .filter(({ toMs }) => toMs >= faultMs)
    .map(({ fromMs, toMs }) => `${ms(fromMs)}..${ms(toMs)}`);
  const killed = kills.filter(({ atMs }) => atMs >= faultMs).map(({ node, atMs }) => `${node} ${ms(atMs)}`);
  const reasons = probesWithin(client.probes(), faultMs, Number.POSITIVE_INFINITY).flatMap(
    ({ reason }) => reason ?? [],
  );
  const lost = [...new Set(reasons)].map((why) => `${reasons.filter((each) => each === why).length} ${why}`);
  const say = (what: string, list: readonly string[]) => `${what}: ${list.join(', ') || 'none'}`;
  return `  ${[say('held', held), say('apart', apart), say('killed', killed), say('lost', lost)].join('; ')}\n`;
}

/** Also returns on timeout; the figures then show the problem. */
async function settled(scene: Scene, earliestMs: number, signal: AbortSignal): Promise<void> {
  const lastMs = monotonicMs() + PATIENCE_MS;
  const quiet = () => scene.client.calmFor(CALM_MS) && scene.bed.holders().length > 0;
  while (monotonicMs() < earliestMs || (!quiet() && monotonicMs() < lastMs))
    await delay(50, undefined, { signal });
}

type Moments = readonly [faultMs: number, undoMs: number, endMs: number];

function measure(scene: Scene, fault: Fault, holder: string, [faultMs, undoMs, endMs]: Moments): Measured {
  const events = scene.bed.events();
  const during = probesWithin(scene.client.probes(), faultMs, undoMs);
  const after = probesWithin(scene.client.probes(), undoMs, endMs);
  const taken = takeOvers(events, faultMs, undoMs);
  const first = taken.find(({ node }) => node !== holder);
  const movesAfter = takeOvers(events, undoMs, endMs).length;
  return {
    outageMs: blackoutMs(during, PROBE_GAP_MS),
    failureWindowMs: failureWindowMs(during, PROBE_GAP_MS),
    lost: lostCount(during),
    ...(scene.patient === undefined
      ? {}
      : { longestWaitMs: longestWaitMs(probesWithin(scene.patient.probes(), faultMs, endMs)) }),
    ...(first === undefined ? {} : { takeOverMs: first.fromMs - faultMs }),
    moves: taken.length,
    recoveryOutageMs: blackoutMs(after, PROBE_GAP_MS),
    recoveryMoves: Math.max(0, taken.length - fault.moves) + movesAfter,
    ...measureTwoHolders(recordOf(scene), [faultMs, undoMs, endMs]),
    ...(fault.weigh === true ? weigh(scene) : {}),
  };
}

function recordOf({ bed, kills }: Scene): HoldingRecord {
  return { events: bed.events(), partitions: bed.partitions(), kills };
}

/** The highest memory figures of all nodes. */
function weigh({ stack, members }: Scene): Measured {
  const weights = members.flatMap((node) => stack.residentMb?.(node) ?? []);
  if (weights.length === 0) return {};
  return {
    supervisorMb: Math.max(...weights.map(({ supervisor }) => supervisor)),
    monitorMb: Math.max(...weights.map(({ monitor }) => monitor)),
  };
}
