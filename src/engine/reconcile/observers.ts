import type { Log } from '../observe/logger.ts';
import type { MonitorMetrics } from '../observe/monitor-metrics.ts';
import type { Once } from '../observe/once.ts';

/** Where the loops of a monitor report; `Metrics` are those of its product. */
export interface Observers<Metrics extends MonitorMetrics = MonitorMetrics> {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly once: Once;
}
