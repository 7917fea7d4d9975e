import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../engine/system/network/routes.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';

export type TrackFiles = Readonly<Record<VipKind, string>>;

/** Another node of the group, with the source address of its adverts. */
export interface VrrpPeer {
  readonly name: string;
  /** In the VIP's family, canonical. */
  readonly address: string;
}

/** A peer with its base priority, before its health is added. */
export interface RankedPeer extends VrrpPeer {
  readonly priority: number;
}

/** One VIP and the group of nodes that elect its holder. */
export interface VrrpInstance {
  /** Unique in the file: `API`, `INGRESS`, `API_V6`, `INGRESS_V6`. */
  readonly name: string;
  readonly kind: VipKind;
  readonly interface: string;
  /** 1 to 255, the same on every node of the group. Each address family has its own id space. */
  readonly virtualRouterId: number;
  /** 1 to 254, different on every node of the group. */
  readonly priority: number;
  /** Canonical. */
  readonly vip: string;
  readonly prefixLength: 32 | 128;
  readonly family: AddressFamily;
  /** This node's own address in the VIP's family. */
  readonly sourceAddress: string;
  /** The other nodes of the group, sorted by name; empty if this node is alone. */
  readonly peers: readonly RankedPeer[];
  /**
   * `peers`, or a placeholder if there are none. An instance without unicast peers is in FAULT. At a reload keepalived replaces an
   * instance that gains its first peer or loses its last one, which withdraws the VIP for a master-down time. The placeholder is
   * VRRP's multicast group: it never answers, and needs no neighbour entry and no route on any interface.
   */
  readonly unicastPeers: readonly VrrpPeer[];
  /** Set if the VIPs of one kind must be on one node. */
  readonly syncGroup?: string;
  /** Names of the instance's track files; empty if its sync group has them. */
  readonly trackFiles: readonly string[];
  /** Keywords after the VIP, such as `preferred_lft` and `0`. */
  readonly vipOptions: readonly string[];
}

interface VrrpSyncGroup {
  readonly name: string;
  /** Names of its instances, at least two. */
  readonly instances: readonly string[];
  /** Names of track files. keepalived ignores the weight of a member's own track file. */
  readonly trackFiles: readonly string[];
}

/**
 * Everything that `templates/keepalived.conf.ejs` can print, ready to print. A template that uses a field which is not defined here
 * fails.
 */
export interface KeepalivedModel {
  /** This node's name in keepalived's log. */
  readonly routerId: string;
  /** Sorted by kind and family. */
  readonly instances: readonly VrrpInstance[];
  readonly syncGroups: readonly VrrpSyncGroup[];
  readonly notifyFifo: string;
  /** The track files that an instance uses. */
  readonly trackFiles: readonly { readonly name: string; readonly path: string }[];
}

/** The operator's settings, validated. */
export interface KeepalivedSettings {
  readonly clusterName: string;
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  /** Overrides the ids derived from the cluster's name. */
  readonly virtualRouterIds?: VirtualRouterIds | undefined;
  /** Overrides the interface derived from the VIPs' subnets. */
  readonly interface?: string | undefined;
  /** This node's name in the list of nodes. */
  readonly nodeName: string;
  /** This node's address, if it differs from the one listed for `nodeName`. */
  readonly nodeIp?: string | undefined;
  /** While the list of control-plane nodes is empty, this node is the only member of the API VIP's group. */
  readonly firstNode?: boolean;
  /** FIFO to which keepalived writes its transitions. */
  readonly notifyFifo: string;
  /** Files to which the monitor writes this node's health. */
  readonly trackFiles: TrackFiles;
}

export type VirtualRouterIds = Readonly<Record<VipKind, number>>;

/** A snapshot of everything that the group is built from. */
export interface VrrpInput {
  readonly settings: KeepalivedSettings;
  /** Must be complete: a missing node would receive no adverts and become a second holder. */
  readonly controlPlane: readonly ClusterNode[];
  /** Every node of the cluster; read only if there is an ingress VIP. */
  readonly allNodes: readonly ClusterNode[];
  readonly interfaces: readonly NetworkInterface[];
  readonly routes: readonly NetworkRoute[];
}
