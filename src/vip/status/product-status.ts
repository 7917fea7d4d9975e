import { keepalivedMonitor, keepalivedSupervisor } from '../../cli/shared-flags.ts';
import type { ClusterNode } from '../../engine/examine/seen.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { keepalivedMonitorStatusSchema } from '../settings/keepalived-monitor-status.ts';
import { keepalivedEntry, keepalivedSection } from './keepalived.ts';
import { keepalivedProblems, vipProblems } from './problems.ts';
import { knownVips, vipStatus as statusOfVip, type VipCluster, type VipNode } from './vip-holders.ts';
import { vipsSection } from './vips.ts';

/** The VIP's part of `hawser status`. */
export const vipStatus = {
  inputs: {
    home: { kind: 'node' as const, onWorkers: false },
    programs: [
      {
        name: 'keepalived-supervisor',
        field: 'keepalivedSupervisor',
        schema: vrrpStatusSchema,
        page: keepalivedSupervisor,
      },
      {
        name: 'keepalived-monitor',
        field: 'keepalivedMonitor',
        schema: keepalivedMonitorStatusSchema,
        page: keepalivedMonitor,
      },
    ],
    group: groupOf,
    vips: { known: knownVips, status: statusOfVip, instances: instancesOf },
  },
  section: (status: VipCluster) => ({
    sections: [vipsSection(status), keepalivedSection(status.here)],
    nodes: {
      columns: { Holds: 'holds' },
      entry: (node: ClusterNode<VipNode>) => keepalivedEntry(node, status),
    },
  }),
  problems: (status: VipCluster) => [...vipProblems(status), ...keepalivedProblems(status.here)],
};

function groupOf({ keepalivedMonitor }: VipNode) {
  const group = keepalivedMonitor?.group ?? [];
  const others = group.filter(({ self }) => !self).map(({ name, address }) => ({ name, address }));
  return {
    nodeName: group.find(({ self }) => self)?.name,
    clusterName: keepalivedMonitor?.clusterName ?? undefined,
    peers: group.length === 0 ? undefined : others,
  };
}

function instancesOf({ keepalivedSupervisor }: VipNode) {
  const instances = keepalivedSupervisor?.instances ?? [];
  return instances.map(({ name, state, sinceMs, vips }) => ({ name, state, sinceMs, vip: vips[0]?.address }));
}
