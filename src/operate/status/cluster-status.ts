import type { Evidence } from '../../engine/examine/seen.ts';
import type { PeerObservation } from '../../engine/peers/observe-peers.ts';
import { judge } from './judge.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import type { ProductStatus, VipName } from './product-status.ts';

/** Everything that was seen, put together and judged. */
export function clusterStatus(
  here: NodeStatus,
  vips: readonly VipName[],
  looks: readonly PeerObservation<NodeStatus>[],
  evidence: Evidence,
  products: readonly ProductStatus[],
): ClusterStatus {
  const reading = products.find((product) => product.vips !== undefined)?.vips;
  const heard = reading?.heardPeer(here, looks);
  const names = vips.map(({ vip }) => vip);
  const status = {
    v: 1 as const,
    vips: vips.map((vip) => reading?.status(vip, here, looks, evidence) ?? { ...vip, holders: [], why: [] }),
    here,
    peers: looks.map((look) => ({
      ...look.peer,
      published: look.published,
      problem: look.problem,
      observed: {
        health: look.health,
        holds: reading?.heldBy(look, names, evidence) ?? [],
        adverts: look.peer.address === heard ? ('arrive' as const) : ('not-known' as const),
      },
    })),
  };
  return { ...status, ...judge(status, products) };
}
