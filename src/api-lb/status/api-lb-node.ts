import type { SeenNode } from '../../engine/examine/seen.ts';
import type { SupervisorStatus } from '../../haproxy/supervise/supervisor-status.ts';
import type { HaproxyMonitorStatus } from '../haproxy-monitor-status.ts';
import type { ServerRow } from '../server-rows.ts';

/** A node, as far as the API load balancer knows it. */
export interface ApiLbNode extends SeenNode {
  readonly haproxySupervisor: SupervisorStatus | null;
  readonly haproxyMonitor: HaproxyMonitorStatus | null;
  /** The API servers as its HAProxy sees them. */
  readonly servers: readonly ServerRow[] | null;
}

/** Its Node has the annotation that takes it out of rotation, and HAProxy gives it no new connections. */
export function isDrained({ haproxyMonitor }: ApiLbNode, { name, state }: ServerRow): boolean {
  const server = haproxyMonitor?.servers?.find((each) => each.name === name);
  return state === 'maintenance' && server?.drained === true;
}

/** Whether a monitor of the API load balancer belongs there, silent or not: a pod proxy's pod has HAProxy's supervisor alone. */
export function hasMonitor({ programs }: SeenNode): boolean {
  return programs.some(({ name }) => name === 'haproxy-monitor');
}
