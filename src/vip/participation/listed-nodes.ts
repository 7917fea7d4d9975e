import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import { isBeforeFirstList } from '../group/vrrp-instances.ts';
import { type ListFact, PEERS_RELOAD_MS } from './participation.ts';

type Names = Extract<ListFact, { kind: 'believed' }>['names'];

/**
 * Whom the lists of this node's VIPs name. `others`: a list of other nodes lacks this one. `nobody`: this node is not listed,
 * but an empty list says nothing. The empty list of the control plane counts as naming its first node.
 */
export function listedNames(input: VrrpInput): Names {
  const { settings, controlPlane, allNodes, interfaces } = input;
  const { apiVips, ingressVips } = settings;
  const local = new Set(addressesOf(interfaces));
  const isSelf = ({ name, addresses }: ClusterNode): boolean =>
    name === settings.nodeName ||
    addresses.some((address) => address === settings.nodeIp || local.has(address));
  if (isBeforeFirstList(input)) return 'us';
  const groups = [
    ...(apiVips.length > 0 ? [controlPlane] : []),
    ...(ingressVips.length > 0 ? [allNodes] : []),
  ];
  const missing = groups.filter((nodes) => !nodes.some(isSelf));
  if (missing.length === 0) return 'us';
  return missing.some((nodes) => nodes.length > 0) ? 'others' : 'nobody';
}

/** The fact after one more look. `since` is the start of an unbroken time in which an accepted list named the same. */
export function nextListFact(
  before: ListFact,
  seen: {
    readonly standings: readonly ('none' | 'undecided' | 'believed' | 'held')[];
    readonly names: Names | undefined;
    readonly sameAsLastRun: boolean;
  },
  nowMs: number,
): ListFact {
  const { standings, names, sameAsLastRun } = seen;
  if (names === undefined || standings.some((each) => each !== 'believed'))
    return { kind: standings.includes('undecided') ? 'settling' : 'none' };
  const since = before.kind === 'believed' && before.names === names ? before.since : nowMs;
  return { kind: 'believed', since, names, sameAsLastRun };
}

/** A node that the list named until `goneAt`, in monotonic milliseconds. */
interface GoneNode {
  readonly node: ClusterNode;
  readonly goneAt: number;
}

/** By name. */
export type GoneNodes = ReadonlyMap<string, GoneNode>;

/** The nodes that have left the list, after it changed from `before` to `listed`. One that is listed again is not gone. */
export function nextGone(
  gone: GoneNodes,
  before: readonly ClusterNode[],
  listed: readonly ClusterNode[],
  now: number,
): GoneNodes {
  const names = new Set(listed.map(({ name }) => name));
  const since = new Map(before.map((node) => [node.name, { node, goneAt: now }]));
  const entries = [...since, ...gone].filter(([name, { goneAt }]) => !names.has(name) && isKept(goneAt, now));
  return new Map(entries);
}

function isKept(goneAt: number, now: number): boolean {
  return now - goneAt < PEERS_RELOAD_MS;
}

/**
 * The nodes that keepalived gets as peers. An addition counts at once. A removal counts after three seconds: a node that is
 * dropped while it still competes hears no adverts and becomes a second holder. A gone node whose address another one has
 * now is dropped at once: an address that comes twice gives no group.
 */
export function peersToServe(
  listed: readonly ClusterNode[],
  gone: GoneNodes,
  now: number,
): readonly ClusterNode[] {
  const names = new Set(listed.map(({ name }) => name));
  const taken = new Set(listed.flatMap(({ addresses }) => addresses));
  const kept = [...gone.values()].filter(
    ({ node, goneAt }) =>
      isKept(goneAt, now) && !names.has(node.name) && !node.addresses.some((address) => taken.has(address)),
  );
  return [...listed, ...kept.map(({ node }) => node)];
}

/** When the next removal counts; undefined without one. */
export function nextRemovalInMs(gone: GoneNodes, now: number): number | undefined {
  const left = [...gone.values()].map(({ goneAt }) => Math.max(1, Math.ceil(goneAt + PEERS_RELOAD_MS - now)));
  return left.length === 0 ? undefined : Math.min(...left);
}
