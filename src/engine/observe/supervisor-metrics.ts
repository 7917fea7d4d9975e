import type { LogEvent } from '../system/log.ts';

/** What Prometheus can ask a supervisor: it counts the events that are logged, and shows `Now` as it is given. */
export interface SupervisorMetrics<Now> {
  readonly observe: (event: LogEvent) => void;
  readonly lag: (worstLagSeconds: number) => void;
  readonly text: (now: Now) => string;
}
