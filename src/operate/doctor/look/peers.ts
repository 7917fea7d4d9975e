import type { PeersReading } from '../../../engine/examine/context.ts';
import type { Peer } from '../../../engine/examine/peer-health.ts';
import { parseServers } from '../../../engine/kube/control-plane/static-servers.ts';
import { messageOf } from '../../../engine/system/errors.ts';
import { addressesOf, type NetworkInterface } from '../../../engine/system/network/routes.ts';
import type { ClusterReading } from './cluster.ts';
import type { DoctorSettings } from './context.ts';

/** The other nodes: of `--servers`, else of a product's configuration, else of the API. This node's own addresses are left out. */
export async function peersOf(
  settings: DoctorSettings,
  configured: readonly { readonly peers: readonly Peer[]; readonly from: string }[],
  interfaces: readonly NetworkInterface[],
  cluster: () => Promise<ClusterReading>,
): Promise<PeersReading> {
  const own = new Set(addressesOf(interfaces));
  const others = (peers: readonly Peer[]): readonly Peer[] =>
    peers.filter(({ address }) => !own.has(address));
  if (settings.servers !== undefined) {
    try {
      return {
        kind: 'known',
        peers: others(parseServers(settings.servers, settings.apiPort)),
        from: '--servers',
      };
    } catch (error) {
      return { kind: 'unknown', reason: messageOf(error) };
    }
  }
  for (const { peers, from } of configured)
    if (others(peers).length > 0) return { kind: 'known', peers: others(peers), from };
  const look = await cluster();
  if (look.kind === 'not-asked') return { kind: 'unknown', reason: look.reason };
  if (look.kind === 'refused') return { kind: 'unknown', reason: look.failure.message };
  const listed = look.nodes.flatMap(({ name, addresses }) => addresses.map((address) => ({ name, address })));
  return { kind: 'known', peers: others(listed), from: look.from };
}
