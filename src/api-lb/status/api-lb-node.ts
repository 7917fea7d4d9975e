import type { SeenNode } from '../../engine/examine/seen.ts';
import type { SupervisorStatus } from '../../haproxy/supervise/supervisor-status.ts';
import type { HaproxyMonitorStatus } from '../haproxy-monitor-status.ts';
import type { ExtraRows, ServerRow } from '../server-rows.ts';

/** The API load balancer's part of a node's status. */
export interface ApiLbNode extends SeenNode {
  readonly haproxySupervisor: SupervisorStatus | null;
  readonly haproxyMonitor: HaproxyMonitorStatus | null;
  /** The API servers as the node's HAProxy reports them; null if HAProxy does not answer. */
  readonly servers: readonly ServerRow[] | null;
  /** The servers of each extra port; absent without extra ports. */
  readonly extraPorts?: readonly ExtraRows[];
}

/** Whether HAProxy sends no new connections to the server. */
export function isAway({ state }: ServerRow): boolean {
  return state !== 'up' && state !== 'unchecked';
}

/** Whether the server's Node is annotated to be out of rotation and HAProxy has disabled the server. */
export function isDrained({ haproxyMonitor }: ApiLbNode, { name, state }: ServerRow): boolean {
  const server = haproxyMonitor?.servers?.find((each) => each.name === name);
  return state === 'maintenance' && server?.drained === true;
}

/** Whether an HAProxy monitor is expected, even if it does not answer. A pod proxy's pod has only HAProxy's supervisor. */
export function hasMonitor({ programs }: SeenNode): boolean {
  return programs.some(({ name }) => name === 'haproxy-monitor');
}
