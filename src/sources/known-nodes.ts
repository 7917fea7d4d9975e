import { mergeNodes } from '../model/merge-nodes.ts';
import type { VrrpNode } from '../model/vrrp.ts';
import { nodeListPath, readLastKnown } from './last-known.ts';

/**
 * The nodes that share a VIP, out of the lists that the keepalived monitor of this node keeps, whether it runs or not:
 * those of the API, else those of ingress. The addresses of IPv4 come first. Empty where there is no list.
 */
export async function knownNodes(lastKnownPath: string): Promise<readonly VrrpNode[]> {
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
