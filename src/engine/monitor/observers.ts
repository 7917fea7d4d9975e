import { createMetricsRegistry, type MetricsRegistry } from '../observe/metrics-registry.ts';
import type { MonitorMetrics } from '../observe/monitor-metrics.ts';
import { createOnce, type Once } from '../observe/once.ts';
import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';

/** Log and metrics of a monitor's loops. `Metrics` are the product's metrics. */
export interface Observers<Metrics extends MonitorMetrics = MonitorMetrics> {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly once: Once;
}

/** Observers that log nothing, for a single pass such as a dry run. */
export function quietObservers<Metrics extends MonitorMetrics>(
  createMetrics: (nowMs: () => number, registry: MetricsRegistry) => Metrics,
): Observers<Metrics> {
  const metrics = createMetrics(monotonicMs, createMetricsRegistry());
  return { log: () => undefined, metrics, once: createOnce() };
}
