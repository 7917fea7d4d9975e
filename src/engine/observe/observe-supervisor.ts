import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { watchEventLoop } from './event-loop-lag.ts';
import type { SupervisorMetrics } from './shared-metrics.ts';

/** CPU waits of a process and its program in one sample of about a second. */
export interface WaitSample {
  readonly lagMs: number;
  readonly lateTimers: number;
}

export interface CpuStarvation {
  readonly since: number;
  readonly lastAt: number;
  readonly worstLagMs: number;
  readonly lateTimers: number;
}

/** A tenth of the allowed silence of a monitor, and ten times the lag of a busy machine. */
const LAG_MS = 300;
/** Waits within this time of each other are reported as one. */
const OVER_AFTER_MS = 10_000;

/**
 * Detects CPU starvation, which explains VIP moves and late answers. It starts with the first long wait and ends after 10 s without one.
 * Returns undefined if there is no starvation.
 */
export function nextStarvation(
  before: CpuStarvation | undefined,
  { lagMs, lateTimers }: WaitSample,
  now: number,
): CpuStarvation | undefined {
  if (lagMs < LAG_MS && lateTimers === 0)
    return before !== undefined && now - before.lastAt < OVER_AFTER_MS ? before : undefined;
  return {
    since: before?.since ?? now,
    lastAt: now,
    worstLagMs: Math.max(before?.worstLagMs ?? 0, lagMs),
    lateTimers: (before?.lateTimers ?? 0) + lateTimers,
  };
}

/** Logs when CPU starvation starts and when it ends, to distinguish it from a failure. */
export function createStarvationWatch(log: Log, nowMs: () => number) {
  let current: CpuStarvation | undefined;
  let lateTimers = 0;
  return {
    lateTimer: (): void => {
      lateTimers += 1;
    },
    /** Must be called once a second. */
    lag: (worstLagSeconds: number): void => {
      const before = current;
      const lagMs = Math.round(worstLagSeconds * 1_000);
      current = nextStarvation(before, { lagMs, lateTimers }, nowMs());
      if (before === undefined && current !== undefined)
        log({ event: 'cpu-starvation', level: 'warn', lagMs, lateTimers });
      if (before !== undefined && current === undefined) {
        const { worstLagMs, lateTimers: late, since, lastAt } = before;
        log({
          event: 'cpu-starvation-ended',
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
