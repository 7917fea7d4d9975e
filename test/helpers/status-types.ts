import type * as z from 'zod/mini';
import type { ApiLbNode } from '../../src/api-lb/status/api-lb-node.ts';
import { statusProducts } from '../../src/commands/status-products.ts';
import type { SeenCluster } from '../../src/engine/examine/seen.ts';
import * as operate from '../../src/operate/status/node-status.ts';
import type { PodProxyNode } from '../../src/pod-proxy/status/pod-proxy-section.ts';
import type { RouterNode } from '../../src/router/report/router-section.ts';
import type { VipNode } from '../../src/vip/status/vip-holders.ts';

/** A node's status with the fields of every product, so that no other place has to know them all. */
export type NodeStatus = ApiLbNode & VipNode & RouterNode & PodProxyNode;
export type ClusterStatus = Omit<operate.ClusterStatus, 'here' | 'peers'> & SeenCluster<NodeStatus>;

export const nodeStatusSchema = operate.nodeStatusSchema(statusProducts) as z.ZodMiniType<NodeStatus>;
export const clusterStatusSchema = operate.clusterStatusSchema(
  statusProducts,
) as z.ZodMiniType<ClusterStatus>;

export const programNames = [
  'haproxy-supervisor',
  'haproxy-monitor',
  'keepalived-supervisor',
  'keepalived-monitor',
] as const;

/** What operate has assembled, with the types of all products. */
export function seen(status: operate.ClusterStatus): ClusterStatus {
  return status as ClusterStatus;
}
