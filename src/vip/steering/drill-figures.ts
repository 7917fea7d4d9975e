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
  /** From the beginning of the first failed attempt to the first answer after the last one began, other answers between them or not. */
  readonly failingMs: number;
}

/** Attempts in any order, begun `everyMs` apart: the last one counts for as long, which is what it shows. */
export function drillFigures(attempts: readonly Attempt[], everyMs: number): DrillFigures {
  const inOrder = attempts.toSorted((a, b) => a.startedMs - b.startedMs);
  const failed = inOrder.filter(({ failure }) => failure !== null);
  const answersMs = attempts
    .filter(({ failure }) => failure === null)
    .map(({ endedMs }) => endedMs)
    .sort((a, b) => a - b);
  const seenUntilMs = (inOrder.at(-1)?.startedMs ?? 0) + everyMs;
  let next = 0;
  const gaps = failed.map(({ startedMs }) => {
    while (next < answersMs.length && (answersMs[next] ?? 0) <= startedMs) next += 1;
    return { fromMs: startedMs, toMs: answersMs[next] ?? seenUntilMs };
  });
  const [first, last] = [gaps.at(0), gaps.at(-1)];
  return {
    attempts: attempts.length,
    failed: failed.length,
    longestGapMs: Math.round(Math.max(0, ...gaps.map(({ fromMs, toMs }) => toMs - fromMs))),
    failingMs: first === undefined || last === undefined ? 0 : Math.round(last.toMs - first.fromMs),
  };
}
