import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import type { ListFact } from './participation.ts';

type Names = Extract<ListFact, { kind: 'believed' }>['names'];

/**
 * Whom the lists of this node's VIPs name. `others`: a list of other nodes lacks this one. `nobody`: this node is not listed,
 * but an empty list says nothing. The empty list of the control plane counts as naming its first node.
 */
export function listedNames({ settings, controlPlane, allNodes, interfaces }: VrrpInput): Names {
  const { apiVips, ingressVips, firstNode = false } = settings;
  const local = new Set(addressesOf(interfaces));
  const isSelf = ({ name, addresses }: ClusterNode): boolean =>
    name === settings.nodeName ||
    addresses.some((address) => address === settings.nodeIp || local.has(address));
  const isFirst = firstNode && apiVips.length > 0 && controlPlane.length === 0;
  if (isFirst) return 'us';
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
