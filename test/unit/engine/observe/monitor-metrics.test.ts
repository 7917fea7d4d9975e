import { expect, test } from 'vitest';
import { createHaproxyMonitorMetrics } from '../../../../src/api-lb/haproxy-monitor-metrics.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { processMetrics } from '../../../../src/engine/observe/process-metrics.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';
import { parseExposition } from '../../../helpers/monitoring/exposition.ts';

const namesOf = (text: string) => new Set(parseExposition(text).map(({ name }) => name));

test("a monitor's page has no metrics of the other monitor", async () => {
  const haproxy = namesOf(createHaproxyMonitorMetrics(() => 0, createMetricsRegistry()).text());
  const keepalived = namesOf(createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry()).text());
  expect([...keepalived]).not.toContain('hawser_api_reachable');
  expect([...keepalived]).not.toContain('hawser_redirect_present');
  expect([...haproxy]).not.toContain('hawser_virtual_router_id_taken');
  expect([...haproxy].filter((name) => keepalived.has(name) && name.startsWith('hawser_')).sort()).toEqual([
    'hawser_applies_total',
    'hawser_client_certificate_expiry_timestamp_seconds',
    'hawser_event_loop_lag_seconds_bucket',
    'hawser_event_loop_lag_seconds_count',
    'hawser_event_loop_lag_seconds_sum',
    'hawser_monitor_last_loop_timestamp_seconds',
  ]);
});

test('a program reports its build and its resource use', () => {
  const samples = parseExposition(processMetrics({ version: '1.2"3' })());
  expect(samples[0]).toEqual({ name: 'hawser_build_info', labels: { version: '1.23' }, value: 1 });
  const value = (name: string) => samples.find((sample) => sample.name === name)?.value ?? 0;
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(value('process_open_fds')).toBeGreaterThan(2);
  expect(Math.abs(value('process_start_time_seconds') * 1_000 - performance.timeOrigin)).toBeLessThan(60_000);
});
