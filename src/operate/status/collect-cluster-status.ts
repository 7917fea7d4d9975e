import { READY_PATH } from '../../cli/shared-flags.ts';
import { askPeers, type Peer } from '../../engine/examine/peer-health.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { readNeighbourTable, touchNeighbour } from '../../engine/system/network/neighbours.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { clusterStatus } from './cluster-status.ts';
import { ANSWER_WITHIN_MS, collectNodeStatus, type StatusEndpoints } from './collect-node-status.ts';
import type { ClusterStatus, NodeStatus } from './node-status.ts';
import type { ProductStatus, VipName } from './product-status.ts';

export interface ClusterEndpoints extends StatusEndpoints {
  /** HAProxy's health port, the same on every node. */
  readonly healthPort: number;
  /** What the settings say, for when no program does. */
  readonly vips: readonly VipName[];
}

/** Of the time that this node's programs have: on the same segment an answer comes within a millisecond or two. */
const PEERS_SHARE = 0.5;
const SEGMENT_WITHIN_MS = 30;
const TABLE_WITHIN_MS = 150;

/** Everything that this node can find out about itself and the others. Never rejects. */
export async function collectClusterStatus(
  places: ClusterEndpoints,
  products: readonly ProductStatus[],
  signal: AbortSignal,
  timeoutMs = ANSWER_WITHIN_MS,
): Promise<ClusterStatus> {
  const here = await collectNodeStatus(places, products, signal, timeoutMs);
  const ownAddresses = presentAddresses();
  const reading = products.find((product) => product.vips !== undefined)?.vips;
  const vips = reading?.known(here, places.vips) ?? places.vips;
  const elsewhere = vips.filter(({ vip }) => !ownAddresses.has(vip));
  await Promise.all(elsewhere.map(({ vip }) => touchNeighbour(vip)));
  const [looks] = await Promise.all([
    askPeers(
      knownPeers(here, products, ownAddresses),
      { port: places.healthPort, path: READY_PATH },
      {
        timeoutMs: Math.round(timeoutMs * PEERS_SHARE),
        signal,
      },
    ),
    sleep(elsewhere.length === 0 ? 0 : SEGMENT_WITHIN_MS, signal),
  ]);
  // By now the kernel knows which hosts answer for the VIPs, and which of them are peers.
  const neighbours = elsewhere.length === 0 ? new Map() : await readNeighbourTable(TABLE_WITHIN_MS);
  return clusterStatus(here, vips, looks, { ownAddresses, neighbours }, products);
}

/** The other nodes, as the last product knows them that does: the VIP's group knows more than a list of API servers. */
function knownPeers(
  here: NodeStatus,
  products: readonly ProductStatus[],
  ownAddresses: ReadonlySet<string>,
): readonly Peer[] {
  const known = products.map(({ peers }) => peers(here)).findLast((peers) => peers !== undefined) ?? [];
  return known.filter(({ address }) => !ownAddresses.has(address));
}
