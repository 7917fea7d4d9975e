import type { NodeStatus } from '../protocol/node-status.ts';

export type Standing = NonNullable<NodeStatus['keepalivedMonitor']>['standings'][number];

/** `250 = 220 (place 1 of 3 in the list) + 0 (HAProxy serves) + 30 (it holds the VIP)`. */
export function priorityText({ arithmetic, priority }: Pick<Standing, 'arithmetic' | 'priority'>): string {
  const terms = arithmetic.map(({ points, why }, index) => {
    const sign = points < 0 ? '- ' : index === 0 ? '' : '+ ';
    return `${sign}${Math.abs(points)} (${why})`;
  });
  return terms.length === 0
    ? 'its priority is not known: it takes no part yet'
    : `${priority} = ${terms.join(' ')}`;
}

/** What a node is worth for a VIP; undefined where its monitor does not say. */
export function standingFor({ keepalivedMonitor }: NodeStatus, vip: string): Standing | undefined {
  return keepalivedMonitor?.standings.find(({ vips }) => vips.includes(vip));
}
