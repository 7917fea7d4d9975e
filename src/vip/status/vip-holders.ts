import type { Evidence, SeenPeer } from '../../engine/examine/seen.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import type { Vip, VipNode } from './vip-node.ts';

type Instance = VrrpStatus['instances'][number];

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

/** The holder of a VIP and the reason. */
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
  return {
    vip,
    kind,
    holders,
    why: [...hereLines(vip, here, isHere), ...holding.map((peer) => peerLine(peer, here))],
  };
}

function hereLines(vip: string, here: VipNode, isHere: boolean): readonly string[] {
  const vipPriority = priorityFor(here, vip);
  const instance = instanceOf(here, vip);
  const move = here.keepalivedSupervisor?.lastTransition;
  return [
    ...(vipPriority === undefined
      ? isHere
        ? [`${here.node}: the address is on an interface; its monitor does not say why`]
        : []
      : [
          `${here.node}: ${priorityText(vipPriority)}${isHere || !vipPriority.holder ? '' : ', but the address is not here'}`,
        ]),
    ...(vipPriority?.order ? [`${here.node}: ${vipPriority.order}`] : []),
    ...(instance === undefined
      ? []
      : [
          instanceText(here.node, instance, move),
          ...(instance.hearsHolder ? [`${here.node}: the adverts of a holder arrive here`] : []),
        ]),
  ];
}

/** What keepalived of a node runs for a VIP. */
export function instanceOf({ keepalivedSupervisor }: VipNode, vip: string): Instance | undefined {
  return keepalivedSupervisor?.instances.find(({ vips }) => vips.some(({ address }) => address === vip));
}

/** `cp-1 is MASTER for 3 h (was BACKUP): no advert of a node with a higher priority`. */
export function instanceText(
  node: string,
  { name, state, sinceMs }: Instance,
  move: VrrpStatus['lastTransition'] | undefined,
): string {
  const before = move?.instance === name ? ` (was ${move.from}): ${move.reason}` : '';
  return `${node} is ${state} for ${ageText(sinceMs)}${before}`;
}

function peerLine(peer: SeenPeer, here: VipNode): string {
  const place = here.keepalivedMonitor?.group.find(({ name }) => name === peer.name)?.priority;
  const priority = place === undefined ? '' : `; the priority of its place in the list is ${place}`;
  return `${peer.name}: it answers for the VIP on this segment${priority}`;
}

export type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** `250 = 220 (place 1 of 3 in the list) + 0 (HAProxy serves) + 30 (it holds the VIP)`. */
function priorityText({ priorityTerms, priority }: Pick<VipPriority, 'priorityTerms' | 'priority'>): string {
  const terms = priorityTerms.map(({ points, why }, index) => {
    const sign = points < 0 ? '- ' : index === 0 ? '' : '+ ';
    return `${sign}${Math.abs(points)} (${why})`;
  });
  return terms.length === 0
    ? 'priority unknown: it does not compete yet'
    : `${priority} = ${terms.join(' ')}`;
}

/** A node's priority for a VIP; undefined if its monitor does not report one. */
export function priorityFor({ keepalivedMonitor }: VipNode, vip: string): VipPriority | undefined {
  return keepalivedMonitor?.priorities.find(({ vips }) => vips.includes(vip));
}
