import { familyOf } from '../../engine/system/network/address-text.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import { isBeforeFirstList } from '../group/vrrp-instances.ts';
import { type ListFact, PEERS_RELOAD_MS } from './participation.ts';

type Names = Extract<ListFact, { kind: 'accepted' }>['names'];

/**
 * Whether the node lists of this node's VIPs contain this node. `others`: a list contains other nodes but not this one. An empty list
 * proves nothing.
 */
export function listedNames(input: VrrpInput): Names {
  const { settings, interfaces } = input;
  const local = new Set(addressesOf(interfaces));
  const isSelf = ({ name, addresses }: ClusterNode): boolean =>
    name === settings.nodeName ||
    addresses.some((address) => address === settings.nodeIp || local.has(address));
  if (isBeforeFirstList(input)) return 'us';
  const isMissing = groupsOf(input).some((nodes) => nodes.length > 0 && !nodes.some(isSelf));
  return isMissing ? 'others' : 'us';
}

/**
 * Whether a list contains this node, but in one family only with addresses that it does not have. Its peers send their adverts there, so it would
 * become a second holder. An address that keepalived `uses` counts as present: it is checked continuously, while the interfaces are
 * from the last look at the lists.
 */
export function isListedElsewhere(input: VrrpInput, uses: readonly string[]): boolean {
  const { nodeIp, nodeName } = input.settings;
  const present = new Set([...addressesOf(input.interfaces), ...uses]);
  return groupsOf(input).some((nodes) => {
    const self =
      nodes.find(({ addresses }) => addresses.some((address) => address === nodeIp)) ??
      nodes.find(({ name }) => name === nodeName);
    return (['ipv4', 'ipv6'] as const).some((family) => {
      const listed = self?.addresses.filter((address) => familyOf(address) === family) ?? [];
      return listed.length > 0 && !listed.some((address) => present.has(address));
    });
  });
}

/** The lists of the VIPs that this node has. */
function groupsOf({ settings, controlPlane, allNodes }: VrrpInput): readonly (readonly ClusterNode[])[] {
  const { apiVips, ingressVips } = settings;
  return [...(apiVips.length > 0 ? [controlPlane] : []), ...(ingressVips.length > 0 ? [allNodes] : [])];
}

/** The next list fact. `since` is the start of the uninterrupted period in which accepted lists gave the same `names`. */
export function nextListFact(
  before: ListFact,
  observed: {
    readonly standings: readonly ('none' | 'undecided' | 'accepted' | 'held')[];
    readonly names: Names | undefined;
    readonly sameAsLastRun: boolean;
  },
  nowMs: number,
): ListFact {
  const { standings, names, sameAsLastRun } = observed;
  if (names === undefined || standings.some((each) => each !== 'accepted'))
    return { kind: standings.includes('undecided') ? 'settling' : 'none' };
  const since = before.kind === 'accepted' && before.names === names ? before.since : nowMs;
  return { kind: 'accepted', since, names, sameAsLastRun };
}

/** A node that was listed until `goneAt`, in monotonic milliseconds. */
interface GoneNode {
  readonly node: ClusterNode;
  readonly goneAt: number;
}

/** Keyed by node name. */
export type GoneNodes = ReadonlyMap<string, GoneNode>;

/** The nodes that were removed less than `PEERS_RELOAD_MS` ago, after the list changed from `before` to `listed`. */
export function nextGone(
  gone: GoneNodes,
  before: readonly ClusterNode[],
  listed: readonly ClusterNode[],
  now: number,
): GoneNodes {
  const names = new Set(listed.map(({ name }) => name));
  const since = new Map(before.map((node) => [node.name, { node, goneAt: now }]));
  const entries = [...since, ...gone].filter(
    ([name, { goneAt }]) => !names.has(name) && now - goneAt < PEERS_RELOAD_MS,
  );
  return new Map(entries);
}

/**
 * The nodes to configure as keepalived's peers. An addition applies at once. A removal applies after `PEERS_RELOAD_MS`: a node
 * that is dropped while it still competes receives no adverts and becomes a second holder. A gone node whose address now belongs
 * to another node is dropped at once, because a group must not contain an address twice.
 */
export function peersToServe(listed: readonly ClusterNode[], gone: GoneNodes): readonly ClusterNode[] {
  const listedAddresses = new Set(listed.flatMap(({ addresses }) => addresses));
  const kept = [...gone.values()].filter(
    ({ node }) => !node.addresses.some((address) => listedAddresses.has(address)),
  );
  return [...listed, ...kept.map(({ node }) => node)];
}

/** Milliseconds until the next removal applies; undefined if none is pending. */
export function nextRemovalInMs(gone: GoneNodes, now: number): number | undefined {
  const left = [...gone.values()].map(({ goneAt }) => Math.max(1, Math.ceil(goneAt + PEERS_RELOAD_MS - now)));
  return left.length === 0 ? undefined : Math.min(...left);
}
