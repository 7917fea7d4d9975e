import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createRouterMetrics } from '../../../../src/router/serve/router-metrics.ts';
import { decided, routeObject } from '../objects-of.ts';

const decision = decided([
  routeObject({ name: 'a' }),
  routeObject({ name: 'b', namespace: 'other', age: 1 }),
]);
const refused = { kind: 'rejected', by: 'check', message: 'no', detail: '' } as const;
const reloaded = { kind: 'reloaded', tookMs: 400 } as const;

function observed() {
  const registry = createMetricsRegistry();
  const clock = { nowMs: 0 };
  const { observer, objectChanged } = createRouterMetrics(() => clock.nowMs, registry, [
    'start',
    'routes-changed',
  ]);
  const decide = (made: typeof decision): void => {
    observer.onDecided?.(made);
    observer.onDecision?.(made, new Set());
  };
  return { clock, observer, objectChanged, decide, lines: () => registry.text().split('\n') };
}

test('the time of an event ends when it is served, whatever decisions and refusals come before', () => {
  const { decide, objectChanged, clock, observer, lines } = observed();
  objectChanged();
  decide(decision);
  clock.nowMs = 1_000;
  objectChanged();
  decide({ ...decision });
  observer.onOutcome?.(refused, 100, 'start');
  expect(lines()).toContain('hawser_router_change_to_serving_seconds_count 0');
  expect(lines()).toContain('template_router_reload_failure 1');
  clock.nowMs = 3_000;
  observer.onOutcome?.(reloaded, 500, 'start');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'hawser_router_change_to_serving_seconds_sum 3',
      'hawser_router_change_to_serving_seconds_count 1',
      'template_router_reload_seconds_sum 0.4',
      'template_router_write_config_seconds_sum 0.1',
      'hawser_router_reloads_total{reason="start",result="rejected"} 1',
      'hawser_router_reloads_total{reason="start",result="done"} 1',
      'template_router_reload_failure 0',
    ]),
  );
});

test('a runtime update is not a reload, and a refused one is a reload with that reason', () => {
  const { observer, lines } = observed();
  observer.onOutcome?.({ ...reloaded, atRunTime: true, commands: 3 }, 500, 'routes-changed');
  observer.onOutcome?.({ ...reloaded, what: 'refused', reason: 'no' }, 500, 'routes-changed');
  observer.onOutcome?.({ ...reloaded, what: 'section-added', reason: 'new' }, 500, 'routes-changed');
  observer.onOutcome?.({ ...reloaded, what: 'section-changed', reason: 'by hand' }, 500, 'edited');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'hawser_router_reloads_avoided_total 1',
      'hawser_router_runtime_commands_total{result="done"} 3',
      'hawser_router_runtime_commands_total{result="failed"} 1',
      'hawser_router_reloads_total{reason="refused",result="done"} 1',
      'hawser_router_reloads_total{reason="section-added",result="done"} 1',
      'hawser_router_reloads_total{reason="edited",result="done"} 1',
      'template_router_reload_seconds_count 3',
    ]),
  );
});

test('an event after a decision counts for the next one; one without a change does not count', () => {
  const { decide, objectChanged, clock, observer, lines } = observed();
  objectChanged();
  decide(decision);
  clock.nowMs = 2_000;
  objectChanged();
  observer.onOutcome?.({ kind: 'unchanged' }, 1, 'start');
  decide({ ...decision });
  clock.nowMs = 2_500;
  observer.onOutcome?.(reloaded, 500, 'start');
  expect(lines()).toContain('hawser_router_change_to_serving_seconds_sum 0.5');
});

test('served and rejected routes are counted, with 0 for unused reasons', () => {
  const { decide, lines } = observed();
  decide(decision);
  expect(lines()).toContain('hawser_router_routes 1');
  expect(lines()).toContain('hawser_router_rejected_routes{reason="HostAlreadyClaimed"} 1');
  decide(decided([routeObject({ name: 'a' })]));
  expect(lines()).toContain('hawser_router_rejected_routes{reason="HostAlreadyClaimed"} 0');
});

test("21: a failed reload shows until one succeeds, under openshift-router's names", () => {
  const { observer, lines } = observed();
  for (const name of ['template_router_reload_seconds_count', 'template_router_write_config_seconds_count'])
    expect(lines()).toContain(`${name} 0`);
  observer.onOutcome?.(refused, 200, 'routes-changed');
  expect(lines()).toContain('template_router_reload_failure 1');
  observer.onOutcome?.({ kind: 'reloaded', tookMs: 1_500 }, 1_700, 'routes-changed');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'template_router_reload_failure 0',
      'template_router_reload_seconds_sum 1.5',
      'template_router_reload_seconds_count 1',
      'template_router_write_config_seconds_sum 0.2',
      'hawser_router_reloads_total{reason="routes-changed",result="rejected"} 1',
      'hawser_router_reloads_total{reason="routes-changed",result="failed"} 0',
    ]),
  );
});

test('a partial update is measured alone, and the rest from its own event on', () => {
  const { decide, objectChanged, clock, observer, lines } = observed();
  const sums = () => lines().filter((line) => /change_to_serving_seconds_(?:sum|count)/.test(line));
  objectChanged();
  decide(decision);
  clock.nowMs = 2_000;
  objectChanged();
  decide({ ...decision });
  clock.nowMs = 2_250;
  observer.onOutcome?.({ ...reloaded, atRunTime: true }, 50, 'routes-changed', true);
  expect(sums().map((line) => line.split(' ')[1])).toEqual(['0.25', '1']);
  clock.nowMs = 4_000;
  observer.onOutcome?.(reloaded, 500, 'routes-changed', false);
  expect(sums().map((line) => line.split(' ')[1])).toEqual(['4.25', '2']);
});

test('a repeated decision covers no new event', () => {
  const { decide, objectChanged, clock, observer, lines } = observed();
  objectChanged();
  decide(decision);
  clock.nowMs = 1_000;
  objectChanged();
  // New routes were validated: the same decision is reported again, with more accepted routes.
  decide(decision);
  clock.nowMs = 2_000;
  observer.onOutcome?.(reloaded, 500, 'routes-changed');
  decide({ ...decision });
  clock.nowMs = 4_000;
  observer.onOutcome?.(reloaded, 500, 'routes-changed');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'hawser_router_change_to_serving_seconds_sum 5',
      'hawser_router_change_to_serving_seconds_count 2',
    ]),
  );
});

test('an event between a decision and its report counts for the next decision', () => {
  const { objectChanged, clock, observer, lines } = observed();
  objectChanged();
  observer.onDecided?.(decision);
  clock.nowMs = 1_000;
  objectChanged();
  observer.onOutcome?.(reloaded, 500, 'start');
  observer.onDecision?.(decision, new Set());
  const next = { ...decision };
  observer.onDecided?.(next);
  clock.nowMs = 3_000;
  observer.onOutcome?.(reloaded, 500, 'start');
  expect(lines()).toEqual(
    expect.arrayContaining([
      'hawser_router_change_to_serving_seconds_sum 3',
      'hawser_router_change_to_serving_seconds_count 2',
    ]),
  );
});
