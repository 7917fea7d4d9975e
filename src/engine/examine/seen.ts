import * as z from 'zod/mini';
import type { Immutable } from '../system/immutable.ts';
import type { HoldersOf } from '../system/network/address-holders.ts';
import type { ProgramState } from './ask-program.ts';
import type { Peer } from './peer-health.ts';

/** A snapshot of this node; each product adds the status of its programs, null if they do not answer. */
export interface SeenNode {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly node: string;
  readonly programs: readonly ProgramState[];
}

/** Another node, as it is seen from here. */
export const seenPeerSchema = z.object({
  name: z.string(),
  address: z.string(),
  /** Its load balancer's health page. */
  health: z.enum(['ready', 'not-ready', 'no-answer']),
  /** The VIPs that it answers for. */
  holds: z.array(z.string()),
});

export type SeenPeer = Immutable<z.infer<typeof seenPeerSchema>>;

/** A VIP and its known holders. */
export const seenVipSchema = z.object({
  vip: z.string(),
  kind: z.enum(['api', 'ingress']),
  /** Names of nodes, or addresses of unknown ones: one is healthy, none or several are not. */
  holders: z.array(z.string()),
});

export type SeenVip = Immutable<z.infer<typeof seenVipSchema>>;

/** A VIP's state on a node. */
export interface SeenInstance {
  readonly name: string;
  /** Undefined if it has none. */
  readonly vip: string | undefined;
  /** In VRRP's words: `MASTER`. */
  readonly state: string;
  readonly sinceMs: number;
}

/** What is known about addresses apart from programs' reports. */
export interface Evidence {
  /** On this node's interfaces. */
  readonly ownAddresses: ReadonlySet<string>;
  /** The other hosts that answer for a VIP which is not here. */
  readonly holders: HoldersOf<Peer>;
}

/** Everything that this node sees of the cluster. */
export interface SeenCluster<Node> {
  readonly vips: readonly SeenVip[];
  readonly here: Node;
  readonly peers: readonly SeenPeer[];
}

/** A node of the cluster: this one from its own status, others as seen from here. */
export interface ClusterNode<Node> {
  readonly name: string;
  /** This node's status; null for another node. */
  readonly status: Node | null;
  /** Undefined for this node. */
  readonly peer: SeenPeer | undefined;
}

/** All nodes, this one first. */
export function allNodes<Node extends SeenNode>({
  here,
  peers,
}: SeenCluster<Node>): readonly ClusterNode<Node>[] {
  return [
    { name: here.node, status: here, peer: undefined },
    ...peers.map((peer) => ({ name: peer.name, status: null, peer })),
  ];
}
