import { keepalivedSection } from './keepalived.ts';
import { keepalivedEntry } from './node-entry.ts';
import { keepalivedProblems, vipProblems } from './problems.ts';
import type { VipCluster, VipNode } from './vip-node.ts';
import { vipsSection } from './vips.ts';

/** What the VIP says in `hawser status`. */
export const vipStatus = {
  problems: keepalivedProblems,
  clusterProblems: vipProblems,
  clusterName: ({ keepalivedMonitor }: VipNode) => keepalivedMonitor?.clusterName ?? null,
  sections: (status: VipCluster) => [vipsSection(status), keepalivedSection(status.here)],
  columns: { Holds: 'holds' },
  entry: keepalivedEntry,
};
