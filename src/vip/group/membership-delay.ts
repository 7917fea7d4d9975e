import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import type { VrrpInput } from './vrrp.ts';

/**
 * How long a node waits with a change that the others must hear of first. Longer than they need to see it, settle
 * it and reload: a node that joins before the others know it hears nothing and makes itself a second holder, and so
 * does one that is forgotten while it is still there.
 */
const OTHERS_FIRST_MS = 3_000;
/** The same for a node that the others most likely know: enough for one that had to see it again. */
const RETURN_MS = 1_000;

/** What this node knows of its own group at one moment. */
export interface GroupView {
  /** By name. */
  readonly nodes: ReadonlySet<string>;
  /** It is listed for each kind of VIP that it has. */
  readonly isMember: boolean;
  /** The lists name other nodes, and not this one: it must not take part. An empty list says nothing. */
  readonly isExcluded: boolean;
}

export function groupView(input: VrrpInput): GroupView {
  const { settings, controlPlane, allNodes, interfaces } = input;
  const { apiVips, ingressVips, firstNode = false } = settings;
  const local = new Set(addressesOf(interfaces));
  const isSelf = ({ name, addresses }: ClusterNode): boolean =>
    name === settings.nodeName ||
    addresses.some((address) => address === settings.nodeIp || local.has(address));
  const groups = [
    ...(apiVips.length > 0 ? [controlPlane] : []),
    ...(ingressVips.length > 0 ? [allNodes] : []),
  ];
  const isListed = (nodes: readonly ClusterNode[]): boolean => nodes.some(isSelf);
  const standsAlone = firstNode && controlPlane.length === 0;
  return {
    nodes: new Set([...controlPlane, ...allNodes].map(({ name }) => name)),
    isMember: groups.every(isListed),
    isExcluded: !standsAlone && groups.some((nodes) => nodes.length > 0 && !isListed(nodes)),
  };
}

/**
 * How long to wait before this node acts on a new view: the one that joins is the last to act, the one that leaves the
 * first, and one that stays adds at once and forgets late. `served` is the view that it acts on now, undefined before its
 * first. `isReturn`: this was its group before, and the segment shows that nobody has forgotten it.
 */
export function membershipDelayMs(served: GroupView | undefined, next: GroupView, isReturn: boolean): number {
  if (!next.isMember) return 0;
  const joinMs = isReturn ? RETURN_MS : OTHERS_FIRST_MS;
  if (served?.isMember !== true) return next.nodes.size > 1 ? joinMs : 0;
  const forgets = [...served.nodes].some((name) => !next.nodes.has(name));
  return forgets ? OTHERS_FIRST_MS : 0;
}

/**
 * What a node that stays serves while it waits to forget the nodes that have gone: the new list with those still in it, so
 * that a node that came in the same step is added at once. Else it would join, as the last to act, beside nodes that do not
 * know it. Undefined where nothing was added, or nothing has to be forgotten late.
 */
export function withoutForgetting(served: VrrpInput, next: VrrpInput): VrrpInput | undefined {
  const lists = [
    keepGone(served.controlPlane, next.controlPlane),
    keepGone(served.allNodes, next.allNodes),
  ] as const;
  if (!lists.some(({ isAdded }) => isAdded)) return undefined;
  const [controlPlane, allNodes] = lists;
  return { ...next, controlPlane: controlPlane.nodes, allNodes: allNodes.nodes };
}

/** A node whose address another one has now is not kept: a list with an address twice gives no group. */
function keepGone(
  served: readonly ClusterNode[],
  next: readonly ClusterNode[],
): { readonly nodes: readonly ClusterNode[]; readonly isAdded: boolean } {
  const names = new Set(next.map(({ name }) => name));
  const taken = new Set(next.flatMap(({ addresses }) => addresses));
  const gone = served.filter(
    ({ name, addresses }) => !names.has(name) && !addresses.some((address) => taken.has(address)),
  );
  const isAdded = next.some(({ name }) => !served.some((each) => each.name === name));
  return { nodes: [...next, ...gone], isAdded };
}
