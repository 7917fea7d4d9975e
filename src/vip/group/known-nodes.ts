import { readLastKnown } from '../../engine/reconcile/servers/last-known.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import { mergeNodes } from './merge-nodes.ts';
import { nodeListPath } from './node-list-path.ts';

/**
 * The nodes that share a VIP, from the lists that this node's keepalived monitor saves: those of the API VIP, else
 * those of ingress. IPv4 addresses come first. Empty if there is no list. The monitor need not run.
 */
export async function knownNodes(lastKnownPath: string): Promise<readonly ClusterNode[]> {
  for (const kind of ['api', 'ingress'] as const) {
    const lists = await Promise.all(
      (['ipv4', 'ipv6'] as const).map(async (family) => {
        const list = await readLastKnown(nodeListPath(lastKnownPath, kind, family));
        return list.kind === 'known' ? list.servers : [];
      }),
    );
    const nodes = mergeNodes(lists);
    if (nodes.length > 0) return nodes;
  }
  return [];
}
