import * as z from 'zod/mini';
import type { PeerObservation } from '../../engine/peers/observe-peers.ts';
import { heardPeer } from '../../vip/status/heard-adverts.ts';
import { type Evidence, heldBy, vipStatus } from '../../vip/status/vip-holders.ts';
import { judge } from './judge.ts';
import { type ClusterStatus, clusterStatusSchema, type NodeStatus } from './node-status.ts';
import type { ProductStatus } from './product-status.ts';

/** Everything that was seen, put together and judged. */
export function clusterStatus(
  here: NodeStatus,
  vips: readonly Pick<ClusterStatus['vips'][number], 'vip' | 'kind'>[],
  looks: readonly PeerObservation<NodeStatus>[],
  evidence: Evidence,
  products: readonly ProductStatus[],
): ClusterStatus {
  const heard = heardPeer(here, looks);
  const names = vips.map(({ vip }) => vip);
  const status = {
    v: 1 as const,
    vips: vips.map((vip) => vipStatus(vip, here, looks, evidence)),
    here,
    peers: looks.map((look) => ({
      ...look.peer,
      published: look.published,
      problem: look.problem,
      observed: {
        health: look.health,
        holds: [...heldBy(look, names, evidence)],
        adverts: look.peer.address === heard ? ('arrive' as const) : ('not-known' as const),
      },
    })),
  };
  return { ...status, ...judge(status, products) };
}

/** The schema as it is published, for tools that do not read zod's. */
export function statusJsonSchema(): object {
  return { $id: 'status.schema.json', title: 'hawser status --json', ...z.toJSONSchema(clusterStatusSchema) };
}
