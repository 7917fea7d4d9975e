import type { PeerHealth } from '../../engine/examine/peer-health.ts';
import type { Evidence } from '../../engine/examine/seen.ts';
import { judge } from './judge.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import type { ProductStatus, VipName } from './product-status.ts';

/** Everything that was seen, put together and judged. */
export function clusterStatus(
  here: NodeStatus,
  vips: readonly VipName[],
  looks: readonly PeerHealth[],
  evidence: Evidence,
  products: readonly ProductStatus[],
): ClusterStatus {
  const reading = products.find((product) => product.vips !== undefined)?.vips;
  const names = vips.map(({ vip }) => vip);
  const peers = looks.map(({ peer, health }) => ({
    ...peer,
    health,
    holds: reading?.heldBy(peer, names, evidence) ?? [],
  }));
  const status = {
    v: 1 as const,
    vips: vips.map((vip) => reading?.status(vip, here, peers, evidence) ?? { ...vip, holders: [], why: [] }),
    ...{ here, peers },
  };
  return { ...status, ...judge(status, products) };
}
