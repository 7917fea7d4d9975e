import type { KeepalivedMonitorSettings } from '../../config/keepalived-monitor-settings.ts';
import { ConfigError } from '../../model/errors.ts';
import { mergeNodes } from '../../model/merge-nodes.ts';
import { parseAddress } from '../../model/node-address.ts';
import type { NetworkInterface, VipKind, VrrpInput } from '../../model/vrrp.ts';
import { nodeListPath, readLastKnown } from '../../sources/last-known.ts';
import { parseServers } from '../../sources/static-servers.ts';

export type KnownNodes = Pick<VrrpInput, 'controlPlane' | 'allNodes'>;

/**
 * The nodes of every VIP without asking anybody: `--servers`, or the lists of an earlier run. Undefined where one is
 * missing. An old list is good enough only in the fast profile, where keepalived is in FAULT until the monitor has
 * spoken: with the shell pods' it joins at once, and whoever is missing in the list would make it a second holder.
 */
export async function nodesOnce(settings: KeepalivedMonitorSettings): Promise<KnownNodes | undefined> {
  const { apiVips, ingressVips, source, servers, apiPort, profile } = settings;
  if (source === 'static') {
    if (servers === undefined)
      throw new ConfigError(['Cannot do without --servers: --source is static, expected HOST=IP[:PORT],…']);
    const nodes = mergeNodes([parseServers(servers, apiPort)]);
    return { controlPlane: nodes, allNodes: nodes };
  }
  if (profile !== 'fast') return undefined;
  const [controlPlane, allNodes] = await Promise.all([
    lastKnownNodes('api', apiVips, settings),
    lastKnownNodes('ingress', ingressVips, settings),
  ]);
  return controlPlane && allNodes && { controlPlane, allNodes };
}

async function lastKnownNodes(
  kind: VipKind,
  vips: readonly string[],
  settings: KeepalivedMonitorSettings,
): Promise<KnownNodes['allNodes'] | undefined> {
  const lists = await Promise.all(
    vips.map((vip) =>
      readLastKnown(nodeListPath(settings.lastKnownPath, kind, parseAddress(vip)?.family ?? 'ipv4')),
    ),
  );
  const known = lists.flatMap((list) => (list.kind === 'known' ? [list.servers] : []));
  return known.length === lists.length ? mergeNodes(known) : undefined;
}

/** A group of this node alone: whatever is wrong with the template or a flag is wrong with it as well. */
export function onlyThisNode(
  { nodeName }: KeepalivedMonitorSettings,
  interfaces: readonly NetworkInterface[],
): KnownNodes {
  const addresses = interfaces.flatMap((each) => each.addresses.map((cidr) => cidr.split('/')[0] ?? ''));
  const nodes = [{ name: nodeName, addresses }];
  return { controlPlane: nodes, allNodes: nodes };
}
