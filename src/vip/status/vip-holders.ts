import type { Evidence } from '../../engine/examine/seen.ts';
import type { PeerObservation } from '../../engine/peers/observe-peers.ts';
import { ageText } from '../../engine/system/text/readable-text.ts';
import type { VrrpStatus } from '../../keepalived/supervise/vrrp-status.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import { priorityFor, priorityText } from './priority-text.ts';
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

/** The VIPs that a peer is seen to hold: what it publishes, or else because it answers for them here. */
export function heldBy(
  { peer, published }: PeerObservation<VipNode>,
  vips: readonly string[],
  { neighbours }: Evidence,
): readonly string[] {
  if (published?.keepalivedSupervisor) return vips.filter((vip) => holdsByItself(published, vip) === true);
  const [, answered = []] = [...(neighbours ?? [])].find(([, list]) => list.includes(peer.address)) ?? [];
  return vips.filter((vip) => answered.includes(vip));
}

/** The holder of a VIP and the reason: the priorities of all nodes that publish theirs, this one first. */
export function vipStatus(
  { vip, kind }: Pick<Vip, 'vip' | 'kind'>,
  here: VipNode,
  peers: readonly PeerObservation<VipNode>[],
  evidence: Evidence,
): Vip {
  const isHere = evidence.ownAddresses.has(vip);
  const holding = peers.filter((look) => heldBy(look, [vip], evidence).length > 0);
  const named = [...(isHere ? [here.node] : []), ...holding.map(({ peer }) => peer.name)];
  const heard = here.keepalivedMonitor?.splitBrain.find((split) => split.vip === vip)?.holders ?? [];
  const stranger = named.length === 0 ? strangerFor(vip, peers, evidence) : undefined;
  const holders = [...new Set([...named, ...heard, ...(stranger === undefined ? [] : [stranger])])];
  return {
    vip,
    kind,
    holders,
    why: [...hereLines(vip, here, isHere), ...peers.flatMap(peerLine(vip, here, holding))],
  };
}

/** Undefined where the supervisor does not say, or does not have it. */
function holdsByItself({ keepalivedSupervisor }: VipNode, vip: string): boolean | undefined {
  return keepalivedSupervisor?.instances.flatMap(({ vips }) => vips).find(({ address }) => address === vip)
    ?.present;
}

/** Its MAC, where the answering host is no node of the group. */
function strangerFor(
  vip: string,
  peers: readonly PeerObservation<VipNode>[],
  { neighbours }: Evidence,
): string | undefined {
  const [mac, list = []] = [...(neighbours ?? [])].find(([, addresses]) => addresses.includes(vip)) ?? [];
  // What a peer says of itself counts more than an answer that may be old.
  return peers.some(({ peer }) => list.includes(peer.address)) ? undefined : mac;
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
    ...(vipPriority?.steered ? [`${here.node}: ${vipPriority.steered}`] : []),
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

function peerLine(vip: string, here: VipNode, holding: readonly PeerObservation<VipNode>[]) {
  return (look: PeerObservation<VipNode>): readonly string[] => {
    const { peer, published } = look;
    const vipPriority = published === null ? undefined : priorityFor(published, vip);
    if (vipPriority !== undefined) return [`${peer.name}: ${priorityText(vipPriority)}`];
    if (!holding.includes(look)) return [];
    const place = here.keepalivedMonitor?.group.find(({ name }) => name === peer.name)?.priority;
    const worth = place === undefined ? '' : `; its place in the list is worth ${place}`;
    return [`${peer.name}: it answers for the VIP on this segment and does not publish why${worth}`];
  };
}
