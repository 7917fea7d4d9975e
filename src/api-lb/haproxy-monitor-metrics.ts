import type { Observers } from '../engine/monitor/observers.ts';
import { type MetricsRegistry, simpleGauge } from '../engine/observe/metrics-registry.ts';
import { createMonitorMetrics } from '../engine/observe/monitor-metrics.ts';

/** The HAProxy monitor's own metrics. */
export type HaproxyMonitorMetrics = ReturnType<typeof createHaproxyMonitorMetrics>;
export type HaproxyMonitorObservers = Observers<HaproxyMonitorMetrics>;

const HOLD_REASONS = ['empty-list', 'polls-disagree', 'missing-servers-still-answer'];

export function createHaproxyMonitorMetrics(nowMs: () => number, registry: MetricsRegistry) {
  const monitor = createMonitorMetrics(nowMs, registry);
  const number = (name: string, help: string) => simpleGauge(registry, name, help);
  const changeServed = registry.histogram(
    'hawser_change_to_serving_seconds',
    'From a changed list of API servers to HAProxy serving it.',
    [0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30],
  );
  const held = registry.gauge('hawser_list_held', '1 while a list is not applied, by reason.');
  const serverUp = registry.gauge(
    'hawser_server_up',
    '1 while HAProxy of this node sends clients to the API server.',
  );
  return {
    ...monitor,
    changeServed,
    servers: number('hawser_servers', 'API servers that HAProxy is configured with.'),
    apiReachable: number('hawser_api_reachable', '1 while some API server answers the monitor.'),
    usable: number('hawser_load_balancer_usable', '1 while HAProxy of this node has a usable server.'),
    redirect: number('hawser_redirect_present', '1 while the VIP is redirected to HAProxy on this node.'),
    /** Replaces the series of all servers: name and whether HAProxy reports the server as up. */
    serversUp: (now: readonly (readonly [string, boolean])[]) => {
      serverUp.clear();
      for (const [server, isUp] of now) serverUp.set(Number(isUp), { server });
    },
    held: (reason: string | undefined) => {
      for (const each of HOLD_REASONS) held.set(Number(each === reason), { reason: each });
    },
  };
}
