import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { createMonitorMetrics } from '../../engine/observe/monitor-metrics.ts';
import type { Observers } from '../../engine/reconcile/observers.ts';
import { vipRepairCounter } from '../../keepalived/vip-repair-counter.ts';
import { advertIntervalMs } from '../group/keepalived-model.ts';
import type { KeepalivedSettings } from '../group/vrrp.ts';

/** What the keepalived monitor can be asked about besides, in Prometheus' words. */
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
  const repair = vipRepairCounter(registry, ['stale-removed']);
  const drained = registry.gauge('hawser_drained', '1 while this node is drained.');
  return {
    ...monitor,
    ...dialectMetrics(registry),
    usable: number('hawser_load_balancer_usable', '1 while HAProxy of this node has a usable server.'),
    ingressUsable: number(
      'hawser_ingress_router_usable',
      '1 while the ingress router of this node answers --ingress-health.',
    ),
    virtualRouterIdTaken: number(
      'hawser_virtual_router_id_taken',
      '1 while this node does not join because its virtual router id or its VIP is in use.',
    ),
    groupNodes: (kind: string, count: number) => groupNodes.set(count, { kind }),
    splitBrain: (vip: string, split: boolean) => splitBrain.set(Number(split), { vip }),
    /** VIPs were removed that keepalived and its supervisor left when they ended. */
    staleVipRemoved: () => repair('stale-removed'),
    drained: (kind: string, value: boolean) => drained.set(Number(value), { kind }),
  };
}

function dialectMetrics(registry: MetricsRegistry) {
  const dialect = registry.gauge(
    'hawser_vrrp_dialect',
    '1 for how keepalived of this node is configured to speak to its group.',
  );
  const changeAt = simpleGauge(
    registry,
    'hawser_profile_change_timestamp_seconds',
    'Unix time of the agreed change of profile, mode or advert interval, 0 while none is planned.',
  );
  const changeRefused = simpleGauge(
    registry,
    'hawser_profile_change_refused',
    '1 while keepalived would not run on what the agreed change leads to: nothing changes then.',
  );
  const unusable = simpleGauge(
    registry,
    'hawser_agreement_unusable',
    '1 while the file of --monitor-conf cannot be used.',
  );
  return {
    dialect: (now: Pick<KeepalivedSettings, 'profile' | 'mode' | 'advertIntervalMs'>) => {
      dialect.clear();
      const { profile, mode } = now;
      dialect.set(1, { profile, mode, advert_interval: `${advertIntervalMs(now)}ms` });
    },
    /** When the dialect changes, in milliseconds of the Unix epoch, and whether keepalived would refuse it. */
    planned: (atMs: number | undefined, refused: boolean) => {
      changeAt((atMs ?? 0) / 1_000);
      changeRefused(refused);
    },
    agreementUsable: (usable: boolean) => unusable(!usable),
  };
}
