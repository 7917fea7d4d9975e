import type { Observers } from '../engine/monitor/observers.ts';
import { type MetricsRegistry, simpleGauge } from '../engine/observe/metrics-registry.ts';
import { createMonitorMetrics } from '../engine/observe/monitor-metrics.ts';
import { createDnsMetrics } from './dns/dns-report.ts';
import type { Hosts } from './hosts.ts';

export type ProxyMetrics = ReturnType<typeof createProxyMetrics>;
export type ProxyObservers = Observers<ProxyMetrics>;

export function createProxyMetrics(nowMs: () => number, registry: MetricsRegistry) {
  const monitor = createMonitorMetrics(nowMs, registry);
  const changeServed = registry.histogram(
    'hawser_proxy_change_to_serving_seconds',
    'From a changed template or address to HAProxy serving it.',
    [0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30],
  );
  const addresses = registry.gauge(
    'hawser_proxy_addresses',
    'Addresses of a downstream group that HAProxy is configured with.',
  );
  const refused = simpleGauge(
    registry,
    'hawser_proxy_refused',
    '1 while something in the annotations is missing, invalid or refused.',
  );
  const sent = registry.counter(
    'hawser_proxy_pushed_lines_total',
    'Lines of statistics accepted by the database in the annotation.',
  );
  const dropped = registry.counter(
    'hawser_proxy_dropped_lines_total',
    'Lines of statistics dropped because the database did not accept them.',
  );
  return {
    ...monitor,
    linesSent: (lines: number) => sent({}, lines),
    linesDropped: (lines: number) => dropped({}, lines),
    changeServed,
    /** Whether a request in the annotations cannot be served, so that the previous configuration still runs. */
    refused,
    dns: createDnsMetrics(registry),
    hosts: (hosts: Hosts) => {
      addresses.clear();
      for (const [group, list] of Object.entries(hosts)) addresses.set(list.length, { group });
    },
  };
}
