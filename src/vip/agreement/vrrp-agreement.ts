import type { VrrpMode, VrrpProfile } from '../../keepalived/vrrp-dialect.ts';

/** How a node speaks to its group. Nodes that differ in any of it do not hear each other, and each side makes a holder. */
export interface VrrpDialect {
  readonly profile: VrrpProfile;
  readonly mode: VrrpMode;
}

/** What the platform team has written down for all nodes. What it does not name stays as it is. */
export interface Agreement {
  readonly profile?: VrrpProfile | undefined;
  readonly mode?: VrrpMode | undefined;
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
  const { profile = current.profile, mode = current.mode, atMs, arrivedMs } = agreement;
  if (profile === current.profile && mode === current.mode) return undefined;
  const round = Math.ceil(arrivedMs / ROUND_MS) * ROUND_MS + AFTER_ROUND_MS;
  return { dialect: { profile, mode }, atMs: atMs ?? (isNew ? arrivedMs : round) };
}

/**
 * How long after the agreed time this node changes. Through a change of profile keepalived keeps a VIP: the holder
 * changes first, and the others, which do not hear it any more, follow before they miss it. For a change of mode it
 * gives the VIP up, with an advert of priority 0: the holder changes last, so that no node acts on the advert in the
 * old mode, and the others already wait in the new mode while it still serves.
 */
export function changeLagMs(
  isHolder: boolean,
  from: VrrpDialect,
  to: VrrpDialect,
  advertIntervalMs: (profile: VrrpProfile) => number,
): number {
  if (from.mode !== to.mode) return isHolder ? 2 * advertIntervalMs(to.profile) : 0;
  return isHolder ? 0 : advertIntervalMs(from.profile);
}
