/** How long a process and its program had to wait for a processor, in one look of about a second. */
export interface WaitSample {
  /** The longest wait of our own event loop. */
  readonly lagMs: number;
  /** How often the program said that a timer of its was late. */
  readonly lateTimers: number;
}

export type CpuStarvation =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'starved';
      readonly since: number;
      readonly lastAt: number;
      readonly worstLagMs: number;
      readonly lateTimers: number;
    };

/** A tenth of what a monitor may be silent, and ten times what a busy machine costs. */
const LAG_MS = 300;
/** Waits that follow each other within this time are reported as one. */
const OVER_AFTER_MS = 10_000;

/**
 * Whether a machine has too little CPU for us, so that a reader of a VIP that moved, or of an answer that came late,
 * knows what it was not. Begins with the first wait that hurts, ends after 10 s without one.
 */
export function nextStarvation(before: CpuStarvation, sample: WaitSample, now: number): CpuStarvation {
  const hurts = sample.lagMs >= LAG_MS || sample.lateTimers > 0;
  if (before.kind === 'none' && !hurts) return before;
  if (before.kind === 'starved' && !hurts)
    return now - before.lastAt < OVER_AFTER_MS ? before : { kind: 'none' };
  const known = before.kind === 'starved' ? before : { since: now, worstLagMs: 0, lateTimers: 0 };
  return {
    kind: 'starved',
    since: known.since,
    lastAt: now,
    worstLagMs: Math.max(known.worstLagMs, sample.lagMs),
    lateTimers: known.lateTimers + sample.lateTimers,
  };
}
