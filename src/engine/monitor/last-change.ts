import { type ApplyOutcome, isServed } from '../config/outcome.ts';

/** A configuration and its inputs other than the template, keyed by the cause that a change of each is. */
export interface Origin {
  readonly text: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** The last outcome of a configuration, and its cause. */
export interface LastChange {
  readonly origin: Origin;
  /** A key of `parts`, or `start`, `template-changed`, `edited`. */
  readonly cause: string;
  readonly outcome: ApplyOutcome;
  /** When the last change happened; repeated equal failures are not changes. */
  readonly atMs: number;
}

/**
 * The last change after one more attempt. An attempt that finds everything unchanged is not a change. If several parts
 * changed at once, the first one counts. If the same text had to be applied again, the file was edited or removed on
 * disk.
 */
export function nextChange(
  before: LastChange | undefined,
  origin: Origin,
  outcome: ApplyOutcome,
  nowMs: number,
): LastChange {
  if (before === undefined) return { origin, cause: 'start', outcome, atMs: nowMs };
  if (before.origin.text !== origin.text)
    return { origin, cause: changedPart(before.origin, origin), outcome, atMs: nowMs };
  const isNews = isServed(outcome) ? outcome.kind === 'reloaded' || !isServed(before.outcome) : true;
  if (!isNews || isRepeat(before.outcome, outcome)) return { ...before, origin };
  // It was applied at runtime before its file was refused.
  const isVerdict = outcome.kind === 'rejected' && outcome.isRunning === true;
  const cause = isServed(before.outcome) && !isVerdict ? 'edited' : before.cause;
  return { origin, cause, outcome, atMs: nowMs };
}

function changedPart(before: Origin, now: Origin): string {
  const changed = Object.entries(now.parts).find(([cause, part]) => before.parts[cause] !== part);
  return changed?.[0] ?? 'template-changed';
}

function isRepeat(before: ApplyOutcome, now: ApplyOutcome): boolean {
  return before.kind === now.kind && messageIn(before) === messageIn(now) && messageIn(now) !== undefined;
}

/** The message of the program that refused it. */
export function messageIn(outcome: ApplyOutcome): string | undefined {
  return 'message' in outcome ? outcome.message : undefined;
}
