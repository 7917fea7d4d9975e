/** One connection to the VIP and one answer; monotonic milliseconds. */
export interface Attempt {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Null for an answer; else what there was instead: `ECONNRESET`, `timeout`. */
  readonly failure: string | null;
}

/** What a drill has cost a client of the VIP. Times are milliseconds. */
export interface DrillFigures {
  readonly attempts: number;
  readonly failed: number;
  /**
   * The longest time without an answer, from the beginning of a failed attempt. An attempt that the kernel repeated and that
   * was answered late ends it with its answer: when it began, nothing answered.
   */
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
    longestGapMs: Math.round(longestGap(inOrder, failed, everyMs)),
    failingMs:
      first === undefined || last === undefined ? 0 : Math.round(last.startedMs - first.startedMs + everyMs),
  };
}

function longestGap(attempts: readonly Attempt[], failed: readonly Attempt[], everyMs: number): number {
  const answersMs = attempts
    .filter(({ failure }) => failure === null)
    .map(({ endedMs }) => endedMs)
    .sort((a, b) => a - b);
  const seenUntilMs = (attempts.at(-1)?.startedMs ?? 0) + everyMs;
  let next = 0;
  let longest = 0;
  for (const { startedMs } of failed) {
    while (next < answersMs.length && (answersMs[next] ?? 0) <= startedMs) next += 1;
    longest = Math.max(longest, (answersMs[next] ?? seenUntilMs) - startedMs);
  }
  return longest;
}
