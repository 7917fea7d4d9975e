import type { LoadBalancerFacts } from '../../haproxy/load-balancer-facts.ts';
import type { VrrpFacts } from '../../keepalived/vrrp-facts.ts';
import { loadBalancerEffects } from './load-balancer-cost.ts';
import { vrrpEffects } from './vrrp-cost.ts';

/** The containers of the two pods, by their names in the manifests. */
export const containers = ['haproxy', 'haproxy-monitor', 'keepalived', 'keepalived-monitor'] as const;
export type Container = (typeof containers)[number];

/** From nothing to what clients notice most: some of them are refused, or find two nodes with one address. */
export const costLevels = ['nothing', 'reload', 'restart', 'vip-move', 'interruption'] as const;
export type CostLevel = (typeof costLevels)[number];

/** What is about to happen to one node. */
export interface ProposedChange {
  /** Undefined where the change does not concern HAProxy, or where that is unknown. */
  readonly haproxy: Comparison<LoadBalancerFacts> | undefined;
  readonly keepalived: (Comparison<VrrpFacts> & GroupSizes) | undefined;
  readonly restarts: ReadonlySet<Container>;
  /** The port that clients of the VIP use: the API servers' own. */
  readonly vipPort: { readonly before: number; readonly after: number };
  /** The port where HAProxy says that it is there, and where the keepalived monitors ask. */
  readonly healthPort: { readonly before: number; readonly after: number };
  readonly now: NodeNow;
}

export interface Comparison<Facts> {
  /** Undefined where there is none yet. */
  readonly before: Facts | undefined;
  readonly after: Facts;
  /** The program is to read another text than the one that it runs on. */
  readonly isReloaded: boolean;
}

/** Whether this node is alone with the VIPs. */
export interface GroupSizes {
  readonly wasAlone: boolean;
  readonly isAlone: boolean;
}

/** The node as it is before the change. */
export interface NodeNow {
  /** Connections of the generation that serves; undefined where HAProxy does not say. */
  readonly sessions: number | undefined;
  /** How long connections may last after a reload, and after their container was asked to stop. */
  readonly forceDeleteTimeoutMs: number;
  readonly drainTimeoutMs: number;
  /** How long the last reported health counts. */
  readonly monitorTimeoutMs: number;
  /** The VRRP instances of which this node is the holder. */
  readonly held: ReadonlySet<string>;
}

/** In what a node differs that does not hear its peers any more, nor they it. */
export type Difference = 'version' | 'virtual-router-id' | 'mode' | 'interface';

/** Why a holder gives its VIP up: a program that it needs is restarted, or HAProxy is no longer where it was. */
export type Departure = 'load-balancer' | 'keepalived' | 'health-port';

/** One thing that happens. VIPs are addresses; times are milliseconds. */
export type Effect =
  /** A new generation serves; connections of the one before have so long to end by themselves. */
  | { readonly kind: 'haproxy-reload'; readonly endedWithinMs: number }
  | { readonly kind: 'servers'; readonly added: readonly string[]; readonly removed: readonly string[] }
  /** New connections are no longer accepted there. */
  | { readonly kind: 'port-closed'; readonly where: string; readonly isLocal: boolean }
  /** HAProxy of this node takes no connection until its container is back. */
  | { readonly kind: 'load-balancer-away'; readonly endedWithinMs: number }
  /** New connections to the VIP reach this node's own API server until the monitor is back. */
  | { readonly kind: 'redirect-away'; readonly vips: readonly string[] }
  | { readonly kind: 'keepalived-reload' }
  /** keepalived of this node is out of the group until its container is back. */
  | { readonly kind: 'keepalived-away' }
  /** The health of this node is unknown until the monitor is back; after this time the node is demoted. */
  | { readonly kind: 'health-untold'; readonly doubtfulAfterMs: number }
  /** Another node takes it over at once. */
  | { readonly kind: 'vip-moves'; readonly vip: string; readonly because: Departure }
  /** It is on no node for so long. */
  | { readonly kind: 'vip-interrupted'; readonly vip: string; readonly forMs: number }
  /** It is no VIP of this node any more. */
  | { readonly kind: 'vip-leaves'; readonly vip: string; readonly isHeld: boolean }
  | { readonly kind: 'vip-appears'; readonly vip: string }
  /** It and this node do not hear each other any more. Where both live on, and one is the holder, both become one. */
  | { readonly kind: 'peer-left-out'; readonly peer: string; readonly vip: string }
  /** This node takes the holder for dead between two of its adverts, and has it beside the holder for so long. */
  | { readonly kind: 'vip-contested'; readonly vip: string; readonly forMs: number }
  /** This node and one that has not been changed hold it, until all of them are. */
  | { readonly kind: 'two-holders'; readonly vip: string; readonly because: readonly Difference[] };

export const effectKinds = [
  'haproxy-reload',
  'servers',
  'port-closed',
  'load-balancer-away',
  'redirect-away',
  'keepalived-reload',
  'keepalived-away',
  'health-untold',
  'vip-moves',
  'vip-interrupted',
  'vip-leaves',
  'vip-appears',
  'peer-left-out',
  'vip-contested',
  'two-holders',
] as const satisfies readonly Effect['kind'][];

/** What becomes of the connections through this node's HAProxy. */
export interface SessionCost {
  readonly now: number | undefined;
  /** `drained`: they end by themselves, or at the end of that time. `cut`: those through the VIP break off. */
  readonly fate: 'kept' | 'drained' | 'cut';
  readonly withinMs: number | undefined;
}

export interface ChangeCost {
  readonly level: CostLevel;
  readonly effects: readonly Effect[];
  readonly sessions: SessionCost;
}

/**
 * What a change costs the clients of this node, seen from this node alone: what its peers do at the same time is not
 * known. Whatever is said here was seen with real programs (test/integration/plan).
 */
export function changeCost(change: ProposedChange): ChangeCost {
  const effects = [...loadBalancerEffects(change), ...vrrpEffects(change)];
  const least: CostLevel = change.restarts.size === 0 ? 'nothing' : 'restart';
  const levels = [least, ...effects.map((effect) => levelOf(effect, change.now))];
  const level = costLevels.findLast((each) => levels.includes(each)) ?? least;
  return { level, effects, sessions: sessionCost(effects, change.now) };
}

function levelOf(effect: Effect, { sessions }: NodeNow): CostLevel {
  switch (effect.kind) {
    case 'haproxy-reload':
    case 'keepalived-reload':
    case 'servers':
    case 'vip-appears':
      return 'reload';
    case 'redirect-away':
    case 'keepalived-away':
    case 'health-untold':
      return 'restart';
    case 'load-balancer-away':
      return sessions === 0 ? 'restart' : 'interruption';
    case 'port-closed':
      return effect.isLocal ? 'reload' : 'interruption';
    case 'vip-moves':
    case 'vip-contested':
      return 'vip-move';
    case 'vip-leaves':
      return effect.isHeld ? 'interruption' : 'reload';
    case 'vip-interrupted':
    case 'peer-left-out':
    case 'two-holders':
      return 'interruption';
  }
}

function sessionCost(effects: readonly Effect[], { sessions: now }: NodeNow): SessionCost {
  if (effects.some(breaksConnections)) return { now, fate: 'cut', withinMs: 0 };
  const drains = effects.flatMap((effect) => ('endedWithinMs' in effect ? effect.endedWithinMs : []));
  if (drains.length === 0) return { now, fate: 'kept', withinMs: undefined };
  return { now, fate: 'drained', withinMs: Math.min(...drains) };
}

/** A connection lives on the node that has its VIP. */
function breaksConnections(effect: Effect): boolean {
  return (
    effect.kind === 'vip-moves' ||
    effect.kind === 'vip-contested' ||
    effect.kind === 'vip-interrupted' ||
    effect.kind === 'two-holders' ||
    (effect.kind === 'vip-leaves' && effect.isHeld)
  );
}
