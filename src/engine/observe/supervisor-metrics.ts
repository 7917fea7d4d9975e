import type { LogEvent } from '../system/log.ts';

/** A supervisor's metrics: counts of logged events, and `Now` as it is given. */
export interface SupervisorMetrics<Now> {
  readonly observe: (event: LogEvent) => void;
  /** The event of a supervised program whose timers fire late, since it gets no CPU time. */
  readonly lateTimerEvent?: string;
  readonly lag: (worstLagSeconds: number) => void;
  readonly text: (now: Now) => string;
}
