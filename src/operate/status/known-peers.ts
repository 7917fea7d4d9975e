import type { Peer } from '../../engine/peers/peer.ts';
import type { NodeStatus } from './node-status.ts';

/**
 * The other nodes, as this one knows them: those of the VIP's group; without the monitor that knows it the nodes of the
 * other API servers, which are the same in a cluster as it should be.
 */
export function knownPeers(here: NodeStatus, ownAddresses: ReadonlySet<string>): readonly Peer[] {
  const group = here.keepalivedMonitor?.group ?? [];
  if (group.length > 0)
    return group.filter(({ self }) => !self).map(({ name, address }) => ({ name, address }));
  const servers = here.haproxyMonitor?.servers ?? here.servers ?? [];
  return servers
    .map(({ name, address }) => ({ name, address: hostOf(address) }))
    .filter(({ address }) => address !== '' && !ownAddresses.has(address));
}

/** Of `10.0.0.11:6443`, `[fd00::b]:6443` or an address alone. */
function hostOf(address: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
