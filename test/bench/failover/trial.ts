import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../../src/system/monotonic-clock.ts';
import { PROBE_GAP_MS } from '../../helpers/vrrp/bed-client.ts';
import { overlapMs, takeOvers, without } from '../../helpers/vrrp/holdings.ts';
import { blackoutMs, failureWindowMs, lostCount, probesWithin } from '../../helpers/vrrp/probes.ts';
import type { Fault, Measured } from './fault.ts';
import type { Scene } from './scene.ts';
import { observationMs } from './subject.ts';

const CALM_MS = 2_500;
/** Today's checks need 33 s, and their tails of partial failures a minute. */
const PATIENCE_MS = 90_000;

/** One fault, what follows from it, its end, and what follows from that. Leaves the scene as it was. */
export async function runTrial(scene: Scene, fault: Fault, signal: AbortSignal): Promise<Measured> {
  await fault.arrange?.(scene);
  const holder = await scene.rested();
  signal.throwIfAborted();
  const watch = observationMs(scene.subject);
  scene.client.forget();
  const faultMs = await fault.inject(scene, holder);
  await settled(scene, faultMs + watch.fault, signal);
  const undoMs = monotonicMs();
  await fault.undo(scene, holder);
  await settled(scene, undoMs + watch.recovery, signal);
  return measure(scene, fault, holder.name, [faultMs, undoMs, monotonicMs()]);
}

/** Returns too when it has waited long enough: then the figures say what is wrong. */
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
    ...(first === undefined ? {} : { takeOverMs: first.fromMs - faultMs }),
    moves: taken.length,
    twoHoldersMs: overlapOutside(scene, faultMs, undoMs),
    recoveryOutageMs: blackoutMs(after, PROBE_GAP_MS),
    recoveryMoves: Math.max(0, taken.length - fault.moves) + movesAfter,
    twoHoldersAfterMs: overlapOutside(scene, undoMs, endMs),
    ...(fault.weigh === true ? weigh(scene) : {}),
  };
}

function overlapOutside({ bed }: Scene, fromMs: number, toMs: number): number {
  return without(fromMs, toMs, bed.partitions())
    .map((stretch) => overlapMs(bed.events(), stretch.fromMs, stretch.toMs))
    .reduce((sum, each) => sum + each, 0);
}

/** The heaviest of the nodes'. */
function weigh({ stack, members }: Scene): Measured {
  const weights = members.flatMap((node) => stack.residentMb?.(node) ?? []);
  if (weights.length === 0) return {};
  return {
    supervisorMb: Math.max(...weights.map(({ supervisor }) => supervisor)),
    monitorMb: Math.max(...weights.map(({ monitor }) => monitor)),
  };
}
