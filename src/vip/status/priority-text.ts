import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import type { VipNode } from './vip-node.ts';

export type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** `250 = 220 (place 1 of 3 in the list) + 0 (HAProxy serves) + 30 (it holds the VIP)`. */
export function priorityText({
  priorityTerms,
  priority,
}: Pick<VipPriority, 'priorityTerms' | 'priority'>): string {
  const terms = priorityTerms.map(({ points, why }, index) => {
    const sign = points < 0 ? '- ' : index === 0 ? '' : '+ ';
    return `${sign}${Math.abs(points)} (${why})`;
  });
  return terms.length === 0
    ? 'its priority is not known: it takes no part yet'
    : `${priority} = ${terms.join(' ')}`;
}

/** What a node is worth for a VIP; undefined where its monitor does not say. */
export function priorityFor({ keepalivedMonitor }: VipNode, vip: string): VipPriority | undefined {
  return keepalivedMonitor?.priorities.find(({ vips }) => vips.includes(vip));
}
