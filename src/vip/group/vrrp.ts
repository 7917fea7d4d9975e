import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../engine/system/network/routes.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';

export type TrackFiles = Readonly<Record<VipKind, string>>;

/** Another node of the group, under the address from which its adverts come. */
export interface VrrpPeer {
  readonly name: string;
  /** Of the VIP's family, canonical. */
  readonly address: string;
}

/** A peer with the priority that its own model gives it, before its health is added. */
export interface RankedPeer extends VrrpPeer {
  readonly priority: number;
}

/** One VIP and the group of nodes that elect its holder. */
export interface VrrpInstance {
  /** Unique in the file: `API`, `INGRESS`, `API_V6`, `INGRESS_V6`. */
  readonly name: string;
  readonly kind: VipKind;
  readonly interface: string;
  /** 1 to 255, the same on every node of the group; each family counts for itself. */
  readonly virtualRouterId: number;
  /** 1 to 254, different on every node of the group. */
  readonly priority: number;
  /** Canonical. */
  readonly vip: string;
  readonly prefixLength: 32 | 128;
  readonly family: AddressFamily;
  /** This node's own address in the VIP's family. */
  readonly sourceAddress: string;
  /** The others, sorted by name, without this node; empty where it is alone. */
  readonly peers: readonly RankedPeer[];
  /**
   * `peers`, or a placeholder. An instance without peers is in FAULT, and at a reload keepalived replaces an instance that gets its first
   * peer or loses its last one, which withdraws the VIP for a master-down time. The placeholder never answers. It is VRRP's multicast group:
   * an address that needs no neighbour entry and no route, on every interface.
   */
  readonly unicastPeers: readonly VrrpPeer[];
  /** Set where the VIPs of one kind must be on one node. */
  readonly syncGroup?: string;
  /** Names of track files that are printed at the instance: none where its sync group has them. */
  readonly trackFiles: readonly string[];
  /** Words behind the VIP, such as `preferred_lft` and `0`. */
  readonly vipOptions: readonly string[];
}

interface VrrpSyncGroup {
  readonly name: string;
  /** Names of its instances, at least two. */
  readonly instances: readonly string[];
  /** Names of track files: the members of a group cannot weigh one of their own. */
  readonly trackFiles: readonly string[];
}

/**
 * Everything `templates/keepalived.conf.ejs` can print, ready to be printed. Lists stand for what is printed once for
 * each of their elements, and so not at all where they are empty. A template that names a field which is not here fails.
 */
export interface KeepalivedModel {
  /** This node's name in keepalived's log. */
  readonly routerId: string;
  /** Sorted by kind and family. */
  readonly instances: readonly VrrpInstance[];
  readonly syncGroups: readonly VrrpSyncGroup[];
  readonly notifyFifo: string;
  /** Those that an instance names. `initial` is written where the file is not there yet. */
  readonly trackFiles: readonly { readonly name: string; readonly path: string }[];
}

/** What an operator chose, checked and with its units. */
export interface KeepalivedSettings {
  readonly clusterName: string;
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  /** Overrides what the cluster's name gives. */
  readonly virtualRouterIds?: VirtualRouterIds | undefined;
  /** Overrides what the VIPs' subnets give. */
  readonly interface?: string | undefined;
  /** This node's name in the list of nodes. */
  readonly nodeName: string;
  /** This node's address, where it is not the one that the list has for its name. */
  readonly nodeIp?: string | undefined;
  /** This node is the only one of the API VIP's group as long as its list of nodes is empty. */
  readonly firstNode?: boolean;
  /** FIFO to which keepalived writes its transitions. */
  readonly notifyFifo: string;
  /** Files to which the monitor writes this node's health. */
  readonly trackFiles: TrackFiles;
}

export type VirtualRouterIds = Readonly<Record<VipKind, number>>;

/** What the group is made from, as seen at one moment. */
export interface VrrpInput {
  readonly settings: KeepalivedSettings;
  /** Complete, or not here at all: a node that is missing hears nothing and makes itself a second holder. */
  readonly controlPlane: readonly ClusterNode[];
  /** Every node of the cluster; only looked at where there is an ingress VIP. */
  readonly allNodes: readonly ClusterNode[];
  readonly interfaces: readonly NetworkInterface[];
  readonly routes: readonly NetworkRoute[];
}
