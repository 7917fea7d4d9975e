import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { watchEventLoop } from './event-loop-lag.ts';
import type { SupervisorMetrics } from './supervisor-metrics.ts';

/** CPU waits of a process and its program in one sample of about a second. */
export interface WaitSample {
  readonly lagMs: number;
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

/** A tenth of the allowed silence of a monitor, and ten times the lag of a busy machine. */
const LAG_MS = 300;
/** Waits within this time of each other are reported as one. */
const OVER_AFTER_MS = 10_000;

/**
 * Detects CPU starvation, to explain a VIP that moved or an answer that came late. Begins with the first harmful wait, ends after 10 s without one.
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

interface StarvationWatch {
  readonly lateTimer: () => void;
  /** Once a second. */
  readonly lag: (worstLagSeconds: number) => void;
}

/** Distinguishes starvation from failure: logs one line when it begins, and one when it ends. */
export function createStarvationWatch(log: Log, nowMs: () => number): StarvationWatch {
  let known: CpuStarvation = { kind: 'none' };
  let lateTimers = 0;
  return {
    lateTimer: () => {
      lateTimers += 1;
    },
    lag: (worstLagSeconds) => {
      const now = nowMs();
      const before = known;
      const lagMs = Math.round(worstLagSeconds * 1_000);
      known = nextStarvation(before, { lagMs, lateTimers }, now);
      if (before.kind === 'none' && known.kind === 'starved')
        log({ event: 'cpu-starvation', level: 'warn', lagMs, lateTimers });
      if (before.kind === 'starved' && known.kind === 'none') {
        const { worstLagMs, lateTimers: late, since, lastAt } = before;
        log({
          event: 'cpu-starvation-over',
          worstLagMs,
          lateTimers: late,
          lastedMs: Math.round(lastAt - since),
        });
      }
      lateTimers = 0;
    },
  };
}

/** Returns a function that passes each event to the log, to the metrics and to the starvation watch. */
export function observeSupervisor<Now>(log: Log, metrics: SupervisorMetrics<Now>): Log {
  const starvation = createStarvationWatch(log, monotonicMs);
  watchEventLoop((worstLagSeconds) => {
    metrics.lag(worstLagSeconds);
    starvation.lag(worstLagSeconds);
  });
  return (event) => {
    log(event);
    metrics.observe(event);
    if (event.event === metrics.lateTimerEvent) starvation.lateTimer();
  };
}
