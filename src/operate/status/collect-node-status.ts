import {
  type HaproxyMonitorStatus,
  haproxyMonitorStatusSchema,
} from '../../api-lb/haproxy-monitor-status.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import { endpointOf } from '../../engine/kube/api-server.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import type { ServerRow } from '../../haproxy/server-rows.ts';
import { askStatistics } from '../../haproxy/statistics.ts';
import { supervisorStatusSchema } from '../../haproxy/supervise/supervisor-status.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { keepalivedMonitorStatusSchema } from '../../vip/settings/keepalived-monitor-status.ts';
import type { NodeStatus, ProgramName } from './node-status.ts';

/** Where a node's programs are asked. */
export interface StatusEndpoints {
  /** This node's name, where the group that it is in does not have it under another one. */
  readonly node: string;
  /** Undefined where a program serves no page (`--listen off`). */
  readonly pages: Readonly<Record<ProgramName, PageAddress | undefined>>;
  /** HAProxy's statistics, on loopback. */
  readonly statPort: number;
}

/** All are asked at once with this limit; a living program answers within a few milliseconds. */
export const ANSWER_WITHIN_MS = 250;

/** Everything that this node's programs and its HAProxy say at this moment; what is silent is null. Never rejects. */
export async function collectNodeStatus(
  { node, pages, statPort }: StatusEndpoints,
  signal: AbortSignal,
  timeoutMs = ANSWER_WITHIN_MS,
): Promise<NodeStatus> {
  const options = { timeoutMs, signal };
  const at = new Date().toISOString();
  const [haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor, statistics] =
    await Promise.all([
      askProgram('haproxy-supervisor', pages['haproxy-supervisor'], supervisorStatusSchema, options),
      askProgram('haproxy-monitor', pages['haproxy-monitor'], haproxyMonitorStatusSchema, options),
      askProgram('keepalived-supervisor', pages['keepalived-supervisor'], vrrpStatusSchema, options),
      askProgram('keepalived-monitor', pages['keepalived-monitor'], keepalivedMonitorStatusSchema, options),
      askStatistics(statPort, options),
    ]);
  const asked = [haproxySupervisor, haproxyMonitor, keepalivedSupervisor, keepalivedMonitor];
  return {
    v: 1,
    at,
    node: keepalivedMonitor.status?.group.find(({ self }) => self)?.name ?? node,
    programs: asked.map(({ program }) => program),
    haproxySupervisor: haproxySupervisor.status,
    haproxyMonitor: haproxyMonitor.status,
    keepalivedSupervisor: keepalivedSupervisor.status,
    keepalivedMonitor: keepalivedMonitor.status,
    servers: statistics.kind === 'servers' ? withAddresses(statistics.servers, haproxyMonitor.status) : null,
  };
}

/** HAProxy reports its servers' addresses only if the template asks for them. */
function withAddresses(
  servers: readonly ServerRow[],
  monitor: HaproxyMonitorStatus | null,
): NodeStatus['servers'] {
  return servers.map((server) => {
    const listed = monitor?.servers?.find(({ name }) => name === server.name);
    return server.address !== '' || listed === undefined
      ? { ...server }
      : { ...server, address: endpointOf(listed) };
  });
}
