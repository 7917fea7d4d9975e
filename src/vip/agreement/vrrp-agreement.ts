import type { VrrpMode, VrrpProfile } from '../../keepalived/vrrp-dialect.ts';
import { advertIntervalMs } from '../group/keepalived-model.ts';

/**
 * How a node speaks to its group. Nodes that differ in profile or mode do not hear each other, and each side makes a holder.
 * Nodes that differ in the interval wait too briefly for an advert, or too long, before they take a VIP.
 */
export interface VrrpDialect {
  readonly profile: VrrpProfile;
  readonly mode: VrrpMode;
  /** Of the fast profile. */
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
/** Between two steps that may be far apart, and whose order matters: clocks differ by less. */
const FIRST_STEP_MS = 3_000;

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

export function sameDialect(a: VrrpDialect, b: VrrpDialect): boolean {
  return a.profile === b.profile && a.mode === b.mode && advertIntervalMs(a) === advertIntervalMs(b);
}

export function dialectText({ profile, mode, advertIntervalMs }: VrrpDialect): string {
  return profile === 'fast' ? `${profile}, ${mode}, ${advertIntervalMs}ms` : `${profile}, ${mode}`;
}

/**
 * How long after the agreed time this node changes. Through a change of profile keepalived keeps a VIP: the holder
 * changes first, and the others, which do not hear it any more, follow before they miss it. For a change of mode it
 * gives the VIP up, with an advert of priority 0: the holder changes last, so that no node acts on the advert in the
 * old mode, and the others already wait in the new mode while it still serves. A backup waits for a number of the intervals
 * that the holder's adverts name, and a smaller number goes with a longer interval: those that wait for many of the long ones
 * may be late to take a VIP, those that wait for few of the short ones would take it from a healthy holder. So with a shorter
 * interval the holder changes last, and with a longer one first.
 */
export function changeLagMs(isHolder: boolean, from: VrrpDialect, to: VrrpDialect): number {
  if (from.mode !== to.mode) return isHolder ? 2 * advertIntervalMs(to) : 0;
  if (from.profile !== to.profile) return isHolder ? 0 : advertIntervalMs(from);
  const isShorter = to.advertIntervalMs < from.advertIntervalMs;
  return isHolder === isShorter ? FIRST_STEP_MS : 0;
}
