import type { SeenCluster, SeenNode } from '../../engine/examine/seen.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';

/** A node, as far as the VIP knows it. */
export interface VipNode extends SeenNode {
  readonly keepalivedSupervisor: VrrpStatus | null;
  readonly keepalivedMonitor: KeepalivedMonitorStatus | null;
}

export type VipCluster = SeenCluster<VipNode>;
export type Vip = VipCluster['vips'][number];
