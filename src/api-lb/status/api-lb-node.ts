import type { SeenNode } from '../../engine/examine/seen.ts';
import type { SupervisorStatus } from '../../haproxy/supervise/supervisor-status.ts';
import type { HaproxyMonitorStatus } from '../haproxy-monitor-status.ts';
import type { ExtraRows, ServerRow } from '../server-rows.ts';

/** The API load balancer's view of a node. */
export interface ApiLbNode extends SeenNode {
  readonly haproxySupervisor: SupervisorStatus | null;
  readonly haproxyMonitor: HaproxyMonitorStatus | null;
  /** The API servers as its HAProxy sees them. */
  readonly servers: readonly ServerRow[] | null;
  /** The same servers at more ports, if there are any. */
  readonly extraPorts?: readonly ExtraRows[];
}

/** HAProxy sends it no new connections. */
export function isAway({ state }: ServerRow): boolean {
  return state !== 'up' && state !== 'unchecked';
}

/** Its Node is annotated to be out of rotation, and HAProxy sends it no new connections. */
export function isDrained({ haproxyMonitor }: ApiLbNode, { name, state }: ServerRow): boolean {
  const server = haproxyMonitor?.servers?.find((each) => each.name === name);
  return state === 'maintenance' && server?.drained === true;
}

/** Whether the node should have a monitor of the API load balancer, silent or not: a pod proxy's pod has only HAProxy's supervisor. */
export function hasMonitor({ programs }: SeenNode): boolean {
  return programs.some(({ name }) => name === 'haproxy-monitor');
}
