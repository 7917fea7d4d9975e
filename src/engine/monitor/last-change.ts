import { type ApplyOutcome, isServed } from '../config/outcome.ts';

/** A configuration and its inputs except the template. The keys of `parts` are the causes to report if that part changes. */
export interface Origin {
  readonly text: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** The last change, its cause and its outcome. */
export interface LastChange {
  readonly origin: Origin;
  /** A key of `parts`, or `start`, `template-changed` or `edited`. */
  readonly cause: string;
  readonly outcome: ApplyOutcome;
  /** Time of the last change. Repeated equal failures are not changes. */
  readonly atMs: number;
}

/**
 * The last change, updated with one more attempt. An attempt that leaves everything unchanged is not a change. If several parts changed at once, the
 * first one is the cause. If the same text was applied again, the file had been edited or removed on disk.
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
  const isNew = isServed(outcome) ? outcome.kind === 'reloaded' || !isServed(before.outcome) : true;
  if (!isNew || isRepeat(before.outcome, outcome)) return { ...before, origin };
  // The configuration was applied at runtime before its file was refused.
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

/** The message of a failed outcome. */
export function messageIn(outcome: ApplyOutcome): string | undefined {
  return 'message' in outcome ? outcome.message : undefined;
}
