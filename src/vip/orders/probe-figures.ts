/** One connection to the VIP and its answer; monotonic milliseconds. */
export interface Attempt {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Null for an answer, else the error: `ECONNRESET`, `timeout`. */
  readonly failure: string | null;
}

/** What a client of the VIP saw. */
export interface ProbeFigures {
  readonly attempts: number;
  readonly failed: number;
  /** The longest time between two answers, or from the last answer to the last attempt; null without any answer. */
  readonly longestGapMs: number | null;
}

/** Attempts in any order. A gap is measured from answer to answer, so it is never shorter than the time between attempts. */
export function probeFigures(attempts: readonly Attempt[]): ProbeFigures {
  const answersMs = attempts
    .filter(({ failure }) => failure === null)
    .map(({ endedMs }) => endedMs)
    .sort((a, b) => a - b);
  const lastMs = attempts.reduce((latest, { startedMs }) => Math.max(latest, startedMs), 0);
  const gapsMs = answersMs.map((ms, index) => (answersMs[index + 1] ?? Math.max(ms, lastMs)) - ms);
  return {
    attempts: attempts.length,
    failed: attempts.length - answersMs.length,
    longestGapMs: gapsMs.length === 0 ? null : Math.round(Math.max(...gapsMs)),
  };
}
