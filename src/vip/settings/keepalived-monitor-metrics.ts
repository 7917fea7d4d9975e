import { type MetricsRegistry, simpleGauge } from '../../engine/observe/metrics-registry.ts';
import { createMonitorMetrics, type MonitorMetrics } from '../../engine/observe/monitor-metrics.ts';
import type { Observers } from '../../engine/reconcile/observers.ts';
import { vipRepairCounter } from '../../keepalived/vip-repair-counter.ts';
import { advertIntervalMs } from '../group/keepalived-model.ts';
import type { KeepalivedSettings } from '../group/vrrp.ts';

/** What the keepalived monitor can be asked about besides, in Prometheus' words. */
export interface KeepalivedMonitorMetrics extends MonitorMetrics {
  /** Nodes that share the VIPs of a kind, this one included. */
  readonly groupNodes: (kind: string, count: number) => void;
  readonly usable: (usable: boolean) => void;
  readonly ingressUsable: (usable: boolean) => void;
  /** Whether another host holds a VIP that this node holds too. */
  readonly splitBrain: (vip: string, split: boolean) => void;
  /** VIPs were removed that keepalived and its supervisor left when they ended. */
  readonly staleVipRemoved: () => void;
  readonly virtualRouterIdTaken: (taken: boolean) => void;
  /** How keepalived of this node speaks to its group. */
  readonly dialect: (dialect: Pick<KeepalivedSettings, 'profile' | 'mode' | 'advertIntervalMs'>) => void;
  /** When that changes, in milliseconds of the Unix epoch, and whether keepalived would refuse it. */
  readonly planned: (atMs: number | undefined, refused: boolean) => void;
  readonly agreementUsable: (usable: boolean) => void;
  /** Until when the certificate for the peers is valid, in milliseconds of the Unix epoch. */
  readonly peerCertificate: (validToMs: number) => void;
  /** Whether this node holds VIPs of a kind only where no other node can. */
  readonly drained: (kind: string, drained: boolean) => void;
}

export type KeepalivedMonitorObservers = Observers<KeepalivedMonitorMetrics>;

export function createKeepalivedMonitorMetrics(
  nowMs: () => number,
  registry: MetricsRegistry,
): KeepalivedMonitorMetrics {
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
  const drained = registry.gauge(
    'hawser_drained',
    '1 while this node is drained: it holds a VIP only if no other node can.',
  );
  const certificate = number(
    'hawser_peer_certificate_expiry_timestamp_seconds',
    'Unix time until which the certificate that the other nodes are shown is valid, 0 where there is none.',
  );
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
      '1 while this node does not join: its virtual router id is used for another VIP, or its VIP with another id.',
    ),
    groupNodes: (kind, count) => groupNodes.set(count, { kind }),
    splitBrain: (vip, split) => splitBrain.set(Number(split), { vip }),
    staleVipRemoved: () => repair('stale-removed'),
    peerCertificate: (validToMs) => certificate(validToMs / 1_000),
    drained: (kind, value) => drained.set(Number(value), { kind }),
  };
}

function dialectMetrics(
  registry: MetricsRegistry,
): Pick<KeepalivedMonitorMetrics, 'dialect' | 'planned' | 'agreementUsable'> {
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
    dialect: (now) => {
      dialect.clear();
      const { profile, mode } = now;
      dialect.set(1, { profile, mode, advert_interval: `${advertIntervalMs(now)}ms` });
    },
    planned: (atMs, refused) => {
      changeAt((atMs ?? 0) / 1_000);
      changeRefused(refused);
    },
    agreementUsable: (usable) => unusable(!usable),
  };
}
