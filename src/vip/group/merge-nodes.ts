import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';

/** One node for each name, with its addresses of every family. */
export function mergeNodes(
  lists: readonly (readonly { readonly name: string; readonly address: string }[])[],
): readonly ClusterNode[] {
  const nodes = new Map<string, readonly string[]>();
  for (const { name, address } of lists.flat()) nodes.set(name, [...(nodes.get(name) ?? []), address]);
  return [...nodes].map(([name, addresses]) => ({ name, addresses }));
}
