import type { VrrpMode, VrrpProfile } from '../../keepalived/vrrp-dialect.ts';
import { advertIntervalMs, downTimerAdverts, PATIENCE_MS } from '../group/keepalived-model.ts';

/**
 * How a node speaks to its group. Nodes that differ in profile or mode do not hear each other, and each side makes a holder.
 * Nodes that differ in the interval wait too briefly for an advert, or too long, before they take a VIP.
 */
export interface VrrpDialect {
  readonly profile: VrrpProfile;
  readonly mode: VrrpMode;
  /** Of the fast profile; agreed upon in the other one too, for the day of the change to fast. */
  readonly advertIntervalMs: number;
}

/** What the platform team has written down for all nodes. What it does not name stays as it is. */
export interface Agreement {
  readonly profile?: VrrpProfile | undefined;
  readonly mode?: VrrpMode | undefined;
  readonly advertIntervalMs?: number | undefined;
  /** Milliseconds of the Unix epoch; where it is not said, the round of the shell pods counts. */
  readonly atMs?: number | undefined;
  /** When the file came to this node as it is. */
  readonly arrivedMs: number;
}

export interface PlannedChange {
  readonly dialect: VrrpDialect;
  /** Milliseconds of the Unix epoch. */
  readonly atMs: number;
}

/** The shell pods look into the file when the clock shows full ten minutes, and change five minutes after that. */
const ROUND_MS = 10 * 60_000;
const AFTER_ROUND_MS = 5 * 60_000;
/**
 * Between two steps whose order matters: clocks differ by less, and a starved node is late by less. What is in force between them
 * is safe for as long as it lasts.
 */
const STEP_MS = 10_000;

/**
 * What is to change and when, undefined where the agreement is what is there. The same on every node that got the same
 * file, whenever its monitor was started: without a time of its own, every file that arrives within one round of ten
 * minutes means one moment, five minutes after its end. `isNew` is a node that has spoken no dialect yet: nothing
 * changes there, so what names no time is what it begins with.
 */
export function plannedChange(
  current: VrrpDialect,
  agreement: Agreement,
  isNew: boolean,
): PlannedChange | undefined {
  const { atMs, arrivedMs } = agreement;
  const dialect: VrrpDialect = {
    profile: agreement.profile ?? current.profile,
    mode: agreement.mode ?? current.mode,
    advertIntervalMs: agreement.advertIntervalMs ?? current.advertIntervalMs,
  };
  if (sameDialect(dialect, current)) return undefined;
  const round = Math.ceil(arrivedMs / ROUND_MS) * ROUND_MS + AFTER_ROUND_MS;
  return { dialect, atMs: atMs ?? (isNew ? arrivedMs : round) };
}

/** Intervals count in either profile: what openshift does not use yet is recorded. */
export function sameDialect(a: VrrpDialect, b: VrrpDialect): boolean {
  return a.profile === b.profile && a.mode === b.mode && a.advertIntervalMs === b.advertIntervalMs;
}

export function dialectText({ profile, mode, advertIntervalMs }: VrrpDialect): string {
  const interval = profile === 'fast' ? `, ${advertIntervalMs}ms` : ` (${advertIntervalMs}ms once fast)`;
  return `${profile}, ${mode}${interval}`;
}

export interface Step {
  readonly dialect: VrrpDialect;
  /** How long after the agreed time. */
  readonly lagMs: number;
}

/**
 * What this node changes to next, and when. Through a change of profile keepalived keeps a VIP: the holder
 * changes first, and the others, which do not hear it any more, follow before they miss it. For a change of mode it
 * gives the VIP up, with an advert of priority 0: the holder changes last, so that no node acts on the advert in the
 * old mode, and the others already wait in the new mode while it still serves.
 */
export function nextStep(isHolder: boolean, from: VrrpDialect, to: VrrpDialect): Step {
  if (from.mode !== to.mode) return { dialect: to, lagMs: isHolder ? 2 * advertIntervalMs(to) : 0 };
  if (from.profile !== to.profile) return { dialect: to, lagMs: isHolder ? 0 : advertIntervalMs(from) };
  return to.profile === 'fast' ? intervalStep(isHolder, from, to) : { dialect: to, lagMs: 0 };
}

/**
 * A backup waits for a number of the intervals that the holder's adverts name, and after its own change for its own interval
 * until the next advert. So the holder changes first, unless its backups would then wait too briefly. It changes last if they wait
 * for two of its old adverts at least. Where neither holds, it begins with an interval between the two.
 */
function intervalStep(isHolder: boolean, from: VrrpDialect, to: VrrpDialect): Step {
  const isHolderFirst = to.advertIntervalMs * downTimerAdverts(from) >= PATIENCE_MS;
  if (isHolderFirst) return { dialect: to, lagMs: isHolder ? 0 : STEP_MS };
  const isHolderLast = to.advertIntervalMs * downTimerAdverts(to) >= 2 * from.advertIntervalMs;
  if (isHolderLast) return { dialect: to, lagMs: isHolder ? 2 * STEP_MS : 0 };
  const between = { ...to, advertIntervalMs: PATIENCE_MS / downTimerAdverts(from) };
  return isHolder ? { dialect: between, lagMs: 0 } : { dialect: to, lagMs: STEP_MS };
}
