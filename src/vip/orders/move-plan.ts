import type { Step } from '../../keepalived/track-value.ts';
import { type VipKind, vipKindText } from '../../keepalived/vip-kind.ts';
import type { RankedPeer } from '../group/vrrp.ts';

/** The state of the VIPs of one kind on this node before an order. */
export interface VipFacts {
  readonly kind: VipKind;
  readonly vips: readonly string[];
  readonly holder: boolean;
  /** The messages of this node's failing checks; empty if it is healthy. */
  readonly troubles: readonly string[];
  /** This node's monitor reports a track value to keepalived. */
  readonly measured: boolean;
  /** The description of the order that is in effect on this node. */
  readonly order: string | undefined;
  /** At least one other node reports that it serves. */
  readonly othersServe: boolean;
  /** The peers that serve. Empty for ingress, whose serving peers are not known by name. */
  readonly servingPeers: readonly RankedPeer[];
  /** All other nodes of the group; empty if the status does not have the group of this kind. */
  readonly peers: readonly RankedPeer[];
}

export interface OrderFacts {
  /** This node's name in the group. */
  readonly self: string;
  readonly vips: readonly VipFacts[];
  /** The nodes that share the VIPs. */
  readonly group: readonly { readonly name: string; readonly address: string }[];
  /** VIPs that another host holds too. */
  readonly splitBrain: readonly string[];
  /** Why this node does not join its group. */
  readonly virtualRouterIdTaken: string | undefined;
}

type MovePlan =
  | {
      readonly kind: 'move';
      readonly first: Step;
      /** The next holder, if known. */
      readonly to: string | undefined;
      readonly why: string;
    }
  /** The VIP is already on the requested node. */
  | { readonly kind: 'nothing'; readonly why: string }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

export type Move = Extract<MovePlan, { kind: 'move' }>;

/** A request to move one VIP. `to` is a node's name. */
export interface MoveRequest {
  readonly kind: VipKind;
  readonly to: string | undefined;
  /** The current holder, if known, for the messages. */
  readonly holder: string | undefined;
}

/** The peer that takes a VIP when its holder gives it up. The priorities in a group are distinct. */
export function nextHolder(peers: readonly RankedPeer[]): RankedPeer | undefined {
  return peers.toSorted((a, b) => b.priority - a.priority)[0];
}

/** Why this node cannot be drained of these VIPs without an outage; empty if it can. `force` skips what an operator may intend. */
export function drainObjections(
  facts: OrderFacts,
  kinds: readonly VipKind[],
  force: boolean,
): readonly string[] {
  return kinds.flatMap((kind) => {
    const vip = facts.vips.find((each) => each.kind === kind);
    if (vip === undefined) return [noVip(kind)];
    if (!vip.measured) return [notMeasured(vip)];
    if (!vip.holder || vip.othersServe || force) return [];
    return [`no other node reports that it could serve ${named(vip)}; add --force to drain anyway`];
  });
}

/** Plans how the VIP reaches the requested node, or returns every reason why it cannot. */
export function planMove(facts: OrderFacts, request: MoveRequest): MovePlan {
  const vip = facts.vips.find(({ kind }) => kind === request.kind);
  if (vip === undefined) return refused([noVip(request.kind)]);
  const place = placeOf(facts, vip, request);
  if (place.kind === 'nothing') return place;
  const reasons = [...objections(facts, vip), ...(place.kind === 'refused' ? place.reasons : [])];
  return reasons.length > 0 ? refused(reasons) : place;
}

function refused(reasons: readonly string[]): MovePlan {
  return { kind: 'refused', reasons };
}

/** The reasons against a move in either direction. */
function objections(facts: OrderFacts, vip: VipFacts): readonly string[] {
  const { splitBrain, virtualRouterIdTaken } = facts;
  const split = vip.vips.filter((each) => splitBrain.includes(each));
  return [
    ...(vip.measured ? [] : [notMeasured(vip)]),
    ...(vip.order === undefined
      ? []
      : [`this node ${orderWords(vip.order)}; undrain it or wait until the order ends`]),
    ...split.map((each) => `another host answers for ${each} too (split brain)`),
    ...(virtualRouterIdTaken === undefined ? [] : [`${virtualRouterIdTaken}, expected an id of its own`]),
    ...vip.troubles.map((trouble) => `this node is not healthy: ${trouble}`),
  ];
}

function orderWords(order: string): string {
  return order.startsWith('drained') ? `is ${order}` : `already follows an order (${order})`;
}

function placeOf(facts: OrderFacts, vip: VipFacts, request: MoveRequest): MovePlan {
  const { to } = request;
  if (to === facts.self)
    return vip.holder
      ? { kind: 'nothing', why: `${to} already holds ${named(vip)}` }
      : {
          kind: 'move',
          first: 'promote',
          to,
          why: 'its priority rises above that of the holder until it holds the VIP',
        };
  if (to !== undefined && vip.peers.length > 0 && !vip.peers.some(({ name }) => name === to))
    return refused([
      `there is no node "${to}" in its group, expected ${[facts.self, ...vip.peers.map(({ name }) => name)].join(', ')}`,
    ]);
  if (!vip.holder) return refused([notHolder(facts, vip, request)]);
  return demotion(vip, request);
}

function notHolder({ self }: OrderFacts, vip: VipFacts, { to, holder }: MoveRequest): string {
  if (to !== undefined) return `${self} does not hold ${named(vip)}; run this command on ${to}`;
  return `${self} does not hold ${named(vip)}; run this command on its holder${holder === undefined ? '' : `, ${holder}`}, or --to ${self}`;
}

function demotion(vip: VipFacts, { to }: MoveRequest): MovePlan {
  if (!vip.othersServe) return refused([`no other node reports that it could serve ${named(vip)}`]);
  const next = nextHolder(vip.servingPeers);
  if (to !== undefined && to !== next?.name) return refused([notNext(vip, to, next)]);
  const why =
    next === undefined
      ? 'another node reports healthy'
      : `highest priority among healthy peers: ${vip.servingPeers.map(({ name, priority }) => `${name} ${priority}`).join(', ')}`;
  return { kind: 'move', first: 'demote', to: next?.name, why };
}

function notNext(vip: VipFacts, to: string, next: RankedPeer | undefined): string {
  if (vip.peers.length > 0 && !vip.servingPeers.some(({ name }) => name === to))
    return `${to} does not report that it could serve ${named(vip)}`;
  return `the VIP would go to ${next?.name ?? 'another node'}, which ranks before ${to}; run this command on ${to}`;
}

function noVip(kind: VipKind): string {
  return `this node has no ${vipKindText[kind]} VIP`;
}

function notMeasured(vip: VipFacts): string {
  return `the health of ${named(vip)} on this node is unknown, expected the keepalived monitor to report it`;
}

function named({ kind, vips }: VipFacts): string {
  return `the ${vipKindText[kind]} VIP ${vips.join(' and ')}`;
}
