import type { Observers } from '../../engine/monitor/observers.ts';
import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { createMonitorMetrics } from '../../engine/observe/monitor-metrics.ts';
import type { Participation } from '../../keepalived/participation-note.ts';
import { vipRepairCounter } from '../../keepalived/vip-repair-counter.ts';

/** The metrics of the keepalived monitor. */
export type KeepalivedMonitorMetrics = ReturnType<typeof createKeepalivedMonitorMetrics>;
export type KeepalivedMonitorObservers = Observers<KeepalivedMonitorMetrics>;

export function createKeepalivedMonitorMetrics(nowMs: () => number, registry: MetricsRegistry) {
  const monitor = createMonitorMetrics(nowMs, registry);
  const number = (name: string, help: string) => simpleGauge(registry, name, help);
  const groupNodes = registry.gauge(
    'hawser_group_nodes',
    'Nodes that share the VIPs of this kind, this one included.',
  );
  const splitBrain = registry.gauge(
    'hawser_split_brain',
    '1 while this node holds the VIP and another host answers for it too.',
  );
  const participation = registry.gauge(
    'hawser_vip_participation',
    '1 for the state of this node: in (it competes for the VIPs of this kind), waiting or out.',
  );
  const repair = vipRepairCounter(registry, ['stale-removed']);
  const drained = registry.gauge('hawser_drained', '1 while this node is drained.');
  return {
    ...monitor,
    usable: number('hawser_haproxy_ready', '1 while HAProxy of this node answers /haproxy_ready.'),
    ingressUsable: number(
      'hawser_ingress_router_usable',
      '1 while the ingress router of this node answers --ingress-health.',
    ),
    virtualRouterIdTaken: number(
      'hawser_virtual_router_id_taken',
      '1 while this node does not join because its virtual router id or its VIP is in use.',
    ),
    participation: (kind: string, current: Participation['state']) => {
      for (const state of ['in', 'waiting', 'out'] as const)
        participation.set(Number(state === current), { kind, state });
    },
    groupNodes: (kind: string, count: number) => groupNodes.set(count, { kind }),
    splitBrain: (vip: string, split: boolean) => splitBrain.set(Number(split), { vip }),
    /** Counts a removal of VIPs that keepalived and its supervisor left when they ended. */
    staleVipRemoved: () => repair('stale-removed'),
    drained: (kind: string, value: boolean) => drained.set(Number(value), { kind }),
  };
}
