/** One connection to the VIP and one answer; monotonic milliseconds. */
export interface Attempt {
  readonly startedMs: number;
  /** Null for an answer; else what there was instead: `ECONNRESET`, `timeout`. */
  readonly failure: string | null;
}

/** What a drill has cost a client of the VIP. Times are milliseconds. */
export interface DrillFigures {
  readonly attempts: number;
  readonly failed: number;
  /** The longest time without an answer: from the first of several failed attempts in a row to the next good one. */
  readonly longestGapMs: number;
  /** From the first failed attempt to the last one, good ones between them or not. */
  readonly failingMs: number;
}

/** Attempts in any order, begun `everyMs` apart: a failed one counts for as long, which is what it shows. */
export function drillFigures(attempts: readonly Attempt[], everyMs: number): DrillFigures {
  const inOrder = attempts.toSorted((a, b) => a.startedMs - b.startedMs);
  const failed = inOrder.filter(({ failure }) => failure !== null);
  const [first, last] = [failed.at(0), failed.at(-1)];
  return {
    attempts: attempts.length,
    failed: failed.length,
    longestGapMs: Math.round(longestGap(inOrder, everyMs)),
    failingMs:
      first === undefined || last === undefined ? 0 : Math.round(last.startedMs - first.startedMs + everyMs),
  };
}

function longestGap(attempts: readonly Attempt[], everyMs: number): number {
  let longest = 0;
  let since: number | undefined;
  for (const { startedMs, failure } of attempts) {
    if (failure !== null) since ??= startedMs;
    // What begins after one that failed, and is answered, ends the gap.
    const end = failure === null ? startedMs : startedMs + everyMs;
    if (since !== undefined) longest = Math.max(longest, end - since);
    if (failure === null) since = undefined;
  }
  return longest;
}
