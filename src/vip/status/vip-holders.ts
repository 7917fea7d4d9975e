import type { Evidence, SeenCluster, SeenNode, SeenPeer } from '../../engine/examine/seen.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';

/** A node, as far as the VIP knows it. */
export interface VipNode extends SeenNode {
  readonly keepalivedSupervisor: VrrpStatus | null;
  readonly keepalivedMonitor: KeepalivedMonitorStatus | null;
}

export type VipCluster = SeenCluster<VipNode>;
export type Vip = VipCluster['vips'][number];

/** Every VIP that a program of this node knows, those of the API first. */
export function knownVips(
  here: VipNode,
  configured: readonly Pick<Vip, 'vip' | 'kind'>[],
): readonly Pick<Vip, 'vip' | 'kind'>[] {
  const priorities = here.keepalivedMonitor?.priorities ?? [];
  const instances = here.keepalivedSupervisor?.instances ?? [];
  const all = [
    ...priorities.flatMap(({ kind, vips }) => vips.map((vip) => ({ vip, kind }))),
    ...instances.flatMap(({ name, vips }) =>
      vips.map(
        ({ address }) => ({ vip: address, kind: isInstanceOf('ingress', name) ? 'ingress' : 'api' }) as const,
      ),
    ),
    ...configured,
  ];
  const unique = all.filter(({ vip }, index) => index === all.findIndex((each) => each.vip === vip));
  return unique.toSorted((a, b) => a.kind.localeCompare(b.kind, 'en'));
}

/** The holders of a VIP. */
export function vipStatus(
  { vip, kind }: Pick<Vip, 'vip' | 'kind'>,
  here: VipNode,
  peers: readonly SeenPeer[],
  evidence: Evidence,
): Vip {
  const isHere = evidence.ownAddresses.has(vip);
  const holding = peers.filter(({ holds }) => holds.includes(vip));
  const named = [...(isHere ? [here.node] : []), ...holding.map(({ name }) => name)];
  const heard = here.keepalivedMonitor?.splitBrain.find((split) => split.vip === vip)?.holders ?? [];
  const strangers = evidence.holders(vip).flatMap(({ mac, node }) => (node === undefined ? mac : []));
  const holders = [...new Set([...named, ...heard, ...(named.length === 0 ? strangers : [])])];
  return { vip, kind, holders };
}

export type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** A node's priority for a VIP; undefined if its monitor does not report one. */
export function priorityFor({ keepalivedMonitor }: VipNode, vip: string): VipPriority | undefined {
  return keepalivedMonitor?.priorities.find(({ vips }) => vips.includes(vip));
}
