import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createRouterMetrics } from '../../../../src/router/serve/router-metrics.ts';

test('21: a failed reload shows until the next good one, under the names of openshift-router', () => {
  const registry = createMetricsRegistry();
  const metrics = createRouterMetrics(() => 0, registry, ['route-added']);
  const lines = () => registry.text().split('\n');
  for (const name of ['template_router_reload_seconds_count', 'template_router_write_config_seconds_count'])
    expect(lines()).toContain(`${name} 0`);
  metrics.written(0.2);
  metrics.reloaded('route-added', 'rejected', undefined);
  metrics.failing(true);
  expect(lines()).toContain('template_router_reload_failure 1');
  metrics.reloaded('route-added', 'done', 1.5);
  metrics.failing(false);
  expect(lines()).toEqual(
    expect.arrayContaining([
      'template_router_reload_failure 0',
      'template_router_reload_seconds_sum 1.5',
      'template_router_reload_seconds_count 1',
      'template_router_write_config_seconds_sum 0.2',
      'hawser_router_reloads_total{reason="route-added",result="rejected"} 1',
      'hawser_router_reloads_total{reason="route-added",result="failed"} 0',
    ]),
  );
});

test('unserved routes are exported by reason, with 0 without any', () => {
  const registry = createMetricsRegistry();
  const metrics = createRouterMetrics(() => 0, registry, []);
  metrics.routes(3, new Map([['HostAlreadyClaimed', 2]]));
  expect(registry.text()).toContain('hawser_router_rejected_routes{reason="HostAlreadyClaimed"} 2');
  metrics.routes(5, new Map());
  expect(registry.text()).toContain('hawser_router_rejected_routes{reason="HostAlreadyClaimed"} 0');
  expect(registry.text()).toContain('hawser_router_routes 5');
});
