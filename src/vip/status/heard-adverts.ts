import type { PeerObservation } from '../../engine/peers/observe-peers.ts';
import type { VipNode } from './vip-node.ts';

/**
 * The address of the peer whose VRRP adverts certainly arrive at this node. keepalived reports that it hears a holder,
 * but not which one (docs/internals/decisions/0030). The holder is known if every other node in the group reports that it is not
 * the holder. With multicast it may be any host on the segment. The monitor's list of the group is that of the first
 * instance.
 */
export function heardPeer(
  { keepalivedSupervisor, keepalivedMonitor }: VipNode,
  peers: readonly PeerObservation<VipNode>[],
): string | undefined {
  const instance = keepalivedSupervisor?.instances[0];
  if (keepalivedMonitor?.mode !== 'unicast' || instance?.hearsHolder !== true) return undefined;
  const group = keepalivedMonitor.group.filter(({ self }) => !self);
  const speakers = group.filter(({ address }) => {
    const published = peers.find(({ peer }) => peer.address === address)?.published;
    const theirs = published?.keepalivedSupervisor?.instances.find(({ name }) => name === instance.name);
    return theirs === undefined || theirs.state === 'MASTER';
  });
  return speakers.length === 1 ? speakers[0]?.address : undefined;
}
