import { expect, test } from 'vitest';
import type { ApplyOutcome } from '../../../../src/engine/config/outcome.ts';
import { logOutcome } from '../../../../src/engine/monitor/log-outcome.ts';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createMonitorMetrics } from '../../../../src/engine/observe/monitor-metrics.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';

const reloaded = { kind: 'reloaded' } as const;

test.each<{ readonly outcome: ApplyOutcome; readonly result: string }>([
  { outcome: { ...reloaded, atRunTime: true }, result: 'changed' },
  { outcome: reloaded, result: 'reloaded' },
  { outcome: { kind: 'unchanged' }, result: 'unchanged' },
])('hawser_applies_total counts $outcome as "$result"', ({ outcome, result }) => {
  const metrics = createMonitorMetrics(() => 0, createMetricsRegistry());
  logOutcome(outcome, { cause: 'start' }, { log: () => undefined, metrics, once: createOnce() });
  const counted = metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith('hawser_applies_total') && line.endsWith(' 1'));
  expect(counted).toEqual([`hawser_applies_total{result="${result}"} 1`]);
});
