import type { Step } from '../../keepalived/track-value.ts';
import { type VipKind, vipKindText } from '../../keepalived/vip-kind.ts';
import type { RankedPeer } from '../group/vrrp.ts';

/** The VIPs of one kind, as this node sees them before an order is given. */
export interface VipFacts {
  readonly kind: VipKind;
  readonly vips: readonly string[];
  readonly holder: boolean;
  /** What keeps this node from being trusted with it, as the checks word it; empty if healthy. */
  readonly troubles: readonly string[];
  /** This node's monitor reports a value for it to keepalived. */
  readonly measured: boolean;
  /** What is asked of this node already. */
  readonly order: string | undefined;
  /** Some other node says that it serves. */
  readonly othersServe: boolean;
  /** Those of the others that serve, as far as they are known by name. */
  readonly servingPeers: readonly RankedPeer[];
  /** All others, as far as they are known. */
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

export type MovePlan =
  | {
      readonly kind: 'move';
      readonly first: Step;
      /** The next holder, if known. */
      readonly to: string | undefined;
      readonly why: string;
    }
  /** It is where it is wanted. */
  | { readonly kind: 'nothing'; readonly why: string }
  /** Each ends with what was expected. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

export type Move = Extract<MovePlan, { kind: 'move' }>;

/** What a move of one VIP asks for. `to` is a node's name. */
export interface MoveWish {
  readonly kind: VipKind;
  readonly to: string | undefined;
  /** The current holder, if known: for advice. */
  readonly holder: string | undefined;
}

/** The peer that gets a VIP when its holder gives it up. The priorities of a group are all different. */
export function nextHolder(peers: readonly RankedPeer[]): RankedPeer | undefined {
  return peers.toSorted((a, b) => b.priority - a.priority)[0];
}

/** Why this node cannot be drained of these VIPs without an outage; empty where it can. `force` leaves out what might be meant. */
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

/** How the VIP gets where it is wanted, or every reason against it. */
export function planMove(facts: OrderFacts, wish: MoveWish): MovePlan {
  const vip = facts.vips.find(({ kind }) => kind === wish.kind);
  if (vip === undefined) return refused([noVip(wish.kind)]);
  const place = placeOf(facts, vip, wish);
  if (place.kind === 'nothing') return place;
  const reasons = [...objections(facts, vip), ...(place.kind === 'refused' ? place.reasons : [])];
  return reasons.length > 0 ? refused(reasons) : place;
}

function refused(reasons: readonly string[]): MovePlan {
  return { kind: 'refused', reasons };
}

/** For both directions. */
function objections(facts: OrderFacts, vip: VipFacts): readonly string[] {
  const { splitBrain, virtualRouterIdTaken } = facts;
  const split = vip.vips.filter((each) => splitBrain.includes(each));
  return [
    ...(vip.measured ? [] : [notMeasured(vip)]),
    ...(vip.order === undefined
      ? []
      : [`this node ${orderWords(vip.order)}; undrain it or wait for the order's end`]),
    ...split.map((each) => `another host answers for ${each} too (split brain)`),
    ...(virtualRouterIdTaken === undefined ? [] : [`${virtualRouterIdTaken}, expected an id of its own`]),
    ...vip.troubles.map((trouble) => `this node is not healthy: ${trouble}`),
  ];
}

function orderWords(order: string): string {
  return order.startsWith('drained') ? `is ${order}` : `already follows an order (${order})`;
}

function placeOf(facts: OrderFacts, vip: VipFacts, wish: MoveWish): MovePlan {
  const { to } = wish;
  if (to === facts.self)
    return vip.holder
      ? { kind: 'nothing', why: `${to} holds ${named(vip)} already` }
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
  if (!vip.holder) return refused([notHolder(facts, vip, wish)]);
  return demotion(vip, wish);
}

function notHolder({ self }: OrderFacts, vip: VipFacts, { to, holder }: MoveWish): string {
  if (to !== undefined) return `${self} does not hold ${named(vip)}; type this command on ${to}`;
  return `${self} does not hold ${named(vip)}; type this command on its holder${holder === undefined ? '' : `, ${holder}`}, or --to ${self}`;
}

function demotion(vip: VipFacts, { to }: MoveWish): MovePlan {
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
  return `the VIP would go to ${next?.name ?? 'another node'}, which ranks before ${to}; type this command on ${to}`;
}

function noVip(kind: VipKind): string {
  return `this node has no ${vipKindText[kind]} VIP`;
}

function notMeasured(vip: VipFacts): string {
  return `keepalived gets no health of ${named(vip)} on this node, expected a keepalived monitor that reports it`;
}

function named({ kind, vips }: VipFacts): string {
  return `the ${vipKindText[kind]} VIP ${vips.join(' and ')}`;
}
