import { chooseAddress } from '../../engine/kube/control-plane/choose-address.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { vrrpGroups } from '../../engine/system/network/multicast-membership.ts';
import { type AddressFamily, parseAddress } from '../../engine/system/network/node-address.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { type VipKind, vipKinds } from '../../keepalived/vip-kind.ts';
import { chooseVipInterface } from './vip-interface.ts';
import { virtualRouterIds } from './virtual-router-id.ts';
import type { KeepalivedSettings, VrrpInput, VrrpInstance, VrrpPeer } from './vrrp.ts';
import { maxGroupSize, vrrpPriority } from './vrrp-priority.ts';

/**
 * One instance per VIP, API before ingress and IPv4 before IPv6: all instances, or the reason why this node does not join. A node
 * that joined for only some of its VIPs could hold one of a pair while another node holds the other. A first node without a node
 * list does not join for ingress.
 */
export function buildVrrpInstances(input: VrrpInput): readonly VrrpInstance[] | string {
  const { apiVips, ingressVips } = input.settings;
  const vipsOf = { api: apiVips, ingress: isBeforeFirstList(input) ? [] : ingressVips };
  const instances: VrrpInstance[] = [];
  for (const kind of vipKinds)
    for (const vip of vipsOf[kind]) {
      const built = buildInstance(kind, vip, input);
      if (typeof built === 'string') return built;
      if (instances.some(({ name }) => name === built.name))
        return `Cannot use VIP "${vip}": expected one of each family and kind`;
      instances.push(built);
    }
  if (instances.length === 0) return 'Cannot make a VRRP instance: there is no VIP';
  return instances.sort(byKindAndFamily).map(grouped);
}

/** True if this node is configured as the cluster's first one and the control plane has no node yet. */
export function isBeforeFirstList({ settings, controlPlane }: VrrpInput): boolean {
  const { apiVips, firstNode = false } = settings;
  return firstNode && apiVips.length > 0 && controlPlane.length === 0;
}

/** The instance, or why it cannot be built. */
function buildInstance(kind: VipKind, vip: string, input: VrrpInput): VrrpInstance | string {
  const { settings } = input;
  const parsed = parseAddress(vip);
  if (parsed === undefined) return `Cannot use VIP "${vip}": not an IPv4 or IPv6 address`;
  const { family, text } = parsed;
  const chosen = chooseVipInterface(text, input.interfaces, input.routes, settings.interface);
  if (chosen.kind === 'none') return chosen.reason;
  const members = vrrpMembers(kind, family, input);
  if (typeof members === 'string') return members;
  const peers = members.others.map(({ name, address, index }) => ({
    name,
    address,
    priority: vrrpPriority(index, members.groupSize),
  }));
  return {
    name: instanceName(kind, family),
    kind,
    interface: chosen.name,
    virtualRouterId: (settings.virtualRouterIds ?? virtualRouterIds(settings.clusterName))[kind],
    priority: vrrpPriority(members.index, members.groupSize),
    vip: text,
    prefixLength: family === 'ipv6' ? 128 : 32,
    family,
    sourceAddress: members.self.address,
    peers,
    unicastPeers: peers.length > 0 ? peers : [{ name: 'placeholder', address: vrrpGroups[family] }],
    trackFiles: [trackFileNames[kind]],
    vipOptions: family === 'ipv6' ? ['preferred_lft', '0'] : [],
  };
}

export const trackFileNames: Readonly<Record<VipKind, string>> = { api: 'lb', ingress: 'ingress' };

function instanceName(kind: VipKind, family: AddressFamily): string {
  return `${kind.toUpperCase()}${family === 'ipv6' ? '_V6' : ''}`;
}

/** Whether an instance of this name belongs to this kind of VIP. */
export function isInstanceOf(kind: VipKind, name: string): boolean {
  return name === instanceName(kind, 'ipv4') || name === instanceName(kind, 'ipv6');
}

function byKindAndFamily(a: VrrpInstance, b: VrrpInstance): number {
  return a.kind.localeCompare(b.kind, 'en') || a.family.localeCompare(b.family, 'en');
}

/** Keeps the VIPs of one kind on one node, so that clients of either address family reach the same node. */
function grouped(instance: VrrpInstance, _index: number, all: readonly VrrpInstance[]): VrrpInstance {
  const members = all.filter(({ kind }) => kind === instance.kind);
  return members.length < 2
    ? instance
    : { ...instance, syncGroup: `${members[0]?.name}_VIPS`, trackFiles: [] };
}

/** The nodes that compete for one VIP, according to this node's list. */
interface VrrpMembers {
  /** This node's index in the sorted list, 0 for a first node. */
  readonly index: number;
  readonly groupSize: number;
  readonly self: VrrpPeer;
  /** Sorted by name, without this node. */
  readonly others: readonly (VrrpPeer & { readonly index: number })[];
}

/**
 * The group of a VIP, or the reason why there is none. There is no group if a listed node has no address, if two nodes share an
 * address, or if this node is not listed: this node and another member would not exchange adverts, and both would hold the VIP. An
 * empty list means that the cluster does not exist yet; then a node that is configured as the first one is the whole group. A node
 * identifies itself by `nodeIp`, else by name, else by an address on one of its interfaces.
 */
function vrrpMembers(kind: VipKind, family: AddressFamily, input: VrrpInput): VrrpMembers | string {
  const nodes = kind === 'api' ? input.controlPlane : input.allNodes;
  const listed = listedMembers(nodes, family, input);
  if (typeof listed === 'string') return notReady(kind, listed);
  const local = localAddresses(input);
  const listedSelf = findSelf(listed, input.settings, local);
  const isFirst = kind === 'api' && isBeforeFirstList(input);
  const self = listedSelf ?? (isFirst ? unlistedSelf(family, input) : undefined);
  if (self === undefined)
    return notReady(kind, `this node "${input.settings.nodeName}" is not among ${shown(listed)}`);
  if (!local.has(self.address))
    return notReady(kind, `node address ${self.address} is not configured on any interface`);
  const index = listedSelf === undefined ? 0 : listed.indexOf(listedSelf);
  const others = listed.flatMap((member, place) => (place === index ? [] : [{ ...member, index: place }]));
  return { index, groupSize: Math.max(1, listed.length), self, others };
}

function notReady(kind: VipKind, what: string): string {
  return `Cannot join the group of the ${kind} VIP: ${what}, expected a complete list with this node`;
}

/** The members sorted by name, or what is wrong with the list. */
function listedMembers(
  nodes: readonly ClusterNode[],
  family: AddressFamily,
  input: VrrpInput,
): readonly VrrpPeer[] | string {
  const members: VrrpPeer[] = [];
  for (const { name, addresses } of nodes.toSorted((a, b) => compareText(a.name, b.name))) {
    const chosen = chooseAddress(addresses, preferenceOf(input), [family]);
    if (chosen.kind === 'none') return `node "${name}": ${chosen.reason}`;
    const twin = members.find((member) => member.name === name || member.address === chosen.address);
    if (twin !== undefined)
      return `nodes "${twin.name}" and "${name}" share a name or the address ${chosen.address}`;
    members.push({ name, address: chosen.address });
  }
  return members.slice(0, maxGroupSize);
}

/** Excludes VIPs and prefers an address in one of this node's subnets. */
function preferenceOf({ settings, interfaces }: VrrpInput) {
  const { apiVips, ingressVips } = settings;
  return { vips: [...apiVips, ...ingressVips], subnets: interfaces.flatMap(({ addresses }) => addresses) };
}

function findSelf(
  members: readonly VrrpPeer[],
  { nodeIp, nodeName }: KeepalivedSettings,
  local: ReadonlySet<string>,
): VrrpPeer | undefined {
  return (
    members.find(({ address }) => address === nodeIp) ??
    members.find(({ name }) => name === nodeName) ??
    members.find(({ address }) => local.has(address))
  );
}

/** This node if it is in no list: with `nodeIp`, or else a local address of the family; undefined without one. */
function unlistedSelf(family: AddressFamily, input: VrrpInput): VrrpPeer | undefined {
  const { nodeName, nodeIp } = input.settings;
  const own = nodeIp === undefined ? [...localAddresses(input)] : [nodeIp];
  const chosen = chooseAddress(own, preferenceOf(input), [family]);
  return chosen.kind === 'chosen' ? { name: nodeName, address: chosen.address } : undefined;
}

function localAddresses({ interfaces }: VrrpInput): ReadonlySet<string> {
  return new Set(addressesOf(interfaces).flatMap((text) => parseAddress(text)?.text ?? []));
}

function shown(members: readonly VrrpPeer[]): string {
  const list = members.slice(0, 5).map(({ name, address }) => `${name} (${address})`);
  const more = members.length > 5 ? ` and ${members.length - 5} more` : '';
  return list.length === 0 ? 'no node at all' : `${list.join(', ')}${more}`;
}
