import type { Log } from '../observe/logger.ts';
import type { MonitorMetrics } from '../observe/monitor-metrics.ts';
import type { Once } from '../observe/once.ts';

/** Where the loops of a monitor report. */
export interface Observers {
  readonly log: Log;
  readonly metrics: MonitorMetrics;
  readonly once: Once;
}
