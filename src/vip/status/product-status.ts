import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts, keepalivedMonitor } from '../../cli/shared-flags.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { vrrpStatusSchema } from '../../keepalived/supervise/vrrp-status.ts';
import { keepalivedMonitorStatusSchema } from '../settings/keepalived-monitor-status.ts';
import { keepalivedSection } from './keepalived.ts';
import { keepalivedEntry } from './node-entry.ts';
import { keepalivedProblems, vipProblems } from './problems.ts';
import { heldBy, knownVips, vipStatus as statusOfVip } from './vip-holders.ts';
import type { VipCluster, VipNode } from './vip-node.ts';
import { vipsSection } from './vips.ts';

/** What the VIP says in `hawser status`. */
export const vipStatus = {
  home: { kind: 'node' as const },
  programs: [
    {
      ...{ name: 'keepalived-supervisor', field: 'keepalivedSupervisor', schema: vrrpStatusSchema },
      page: flag('<address:port>', optionalListenAddress, 'its page, or "off": its --listen', {
        ...{ default: `127.0.0.1:${defaultPorts.keepalivedSupervisor}`, inFile: 'never' },
      }),
    },
    {
      ...{ name: 'keepalived-monitor', field: 'keepalivedMonitor', schema: keepalivedMonitorStatusSchema },
      page: keepalivedMonitor,
    },
  ],
  nodeName: ({ keepalivedMonitor }: VipNode) => keepalivedMonitor?.group.find(({ self }) => self)?.name,
  clusterName: ({ keepalivedMonitor }: VipNode) => keepalivedMonitor?.clusterName ?? null,
  peers: groupOf,
  problems: keepalivedProblems,
  clusterProblems: vipProblems,
  sections: (status: VipCluster) => [vipsSection(status), keepalivedSection(status.here)],
  columns: { Holds: 'holds' },
  entry: keepalivedEntry,
  vips: { known: knownVips, status: statusOfVip, heldBy, instances: instancesOf },
};

function groupOf({ keepalivedMonitor }: VipNode): readonly Peer[] | undefined {
  const group = keepalivedMonitor?.group ?? [];
  if (group.length === 0) return undefined;
  return group.filter(({ self }) => !self).map(({ name, address }) => ({ name, address }));
}

function instancesOf({ keepalivedSupervisor }: VipNode) {
  const instances = keepalivedSupervisor?.instances ?? [];
  return instances.map(({ name, state, sinceMs, vips }) => ({ name, state, sinceMs, vip: vips[0]?.address }));
}
