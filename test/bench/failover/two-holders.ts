import { type HoldingEvent, overlapMs, type Stretch, without } from '../../helpers/vrrp/holdings.ts';
import type { Measured } from './fault.ts';

/** What the bed and the faults know of a trial; monotonic milliseconds. */
export interface HoldingRecord {
  readonly events: readonly HoldingEvent[];
  /** In order. */
  readonly partitions: readonly Stretch[];
  /** When and where keepalived was killed. Until that node takes the VIP again, the address it still has is stale. */
  readonly kills: readonly HoldingEvent[];
}

/** In this time the two sides of a healed partition hear of each other. */
const HEALING_MS = 150;
/** For how long after a healing two holders are put down to it, unless the next partition comes first. */
const HEALED_AFTER_MS = 5_000;

/** How long two nodes had the VIP at once between a fault, its end, and the end of the trial: see `metrics`. */
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
