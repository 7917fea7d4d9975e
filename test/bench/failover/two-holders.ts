import { type HoldingEvent, overlapMs, type Stretch, without } from '../../helpers/vrrp/holdings.ts';
import type { Measured } from './fault.ts';

/** The events of a trial recorded by the bed and the faults, in monotonic milliseconds. */
export interface HoldingRecord {
  readonly events: readonly HoldingEvent[];
  /** In order of time. */
  readonly partitions: readonly Stretch[];
  /** When and where keepalived was killed. An address left there is stale until that node takes the VIP again. */
  readonly kills: readonly HoldingEvent[];
}

/** How long the two sides of a healed partition take to hear each other. */
const HEALING_MS = 150;
/** How long after healing two holders are attributed to it, unless the next partition comes first. */
const HEALED_AFTER_MS = 5_000;

/** How long two nodes held the VIP at once, during the fault and from its end to the end of the trial. See `metrics`. */
export function measureTwoHolders(
  record: HoldingRecord,
  [faultMs, undoMs, endMs]: readonly [faultMs: number, undoMs: number, endMs: number],
): Measured {
  const { events, partitions, kills } = record;
  const apart = partitions.map((each) => ({ ...each, toMs: each.toMs + HEALING_MS }));
  const outside = (some: readonly HoldingEvent[], fromMs: number, toMs: number) =>
    sum(without(fromMs, toMs, apart).map((each) => overlapMs(some, each.fromMs, each.toMs)));
  const alive = [...events, ...kills];
  const healed = partitions.map(({ toMs }) => toMs).filter((toMs) => toMs >= faultMs && toMs < endMs);
  const calmUntil = (atMs: number) =>
    Math.min(atMs + HEALED_AFTER_MS, ...partitions.map(({ fromMs }) => fromMs).filter((ms) => ms > atMs));
  const inTrial = kills.some(({ atMs }) => atMs >= faultMs && atMs < endMs);
  return {
    twoHoldersMs: outside(alive, faultMs, undoMs),
    twoHoldersAfterMs: outside(alive, undoMs, endMs),
    ...(healed.length === 0
      ? {}
      : { healingMs: Math.max(...healed.map((atMs) => overlapMs(alive, atMs, calmUntil(atMs)))) }),
    ...(inTrial ? { staleVipMs: outside(events, faultMs, endMs) - outside(alive, faultMs, endMs) } : {}),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
