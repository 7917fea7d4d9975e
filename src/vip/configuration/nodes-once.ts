import { parseServers } from '../../engine/kube/control-plane/static-servers.ts';
import { readLastKnown } from '../../engine/reconcile/servers/last-known.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { addressesOf, type NetworkInterface } from '../../engine/system/network/routes.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { mergeNodes } from '../group/merge-nodes.ts';
import { nodeListPath } from '../group/node-list-path.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';

type KnownNodes = Pick<VrrpInput, 'controlPlane' | 'allNodes'>;

/**
 * The nodes of every VIP without asking an API server: from `--servers`, or the lists of an earlier run. Undefined if a
 * list is missing. An old list is safe only in the fast profile, where keepalived stays in FAULT until the monitor has
 * reported. With the openshift profile keepalived joins at once, and a node missing from the list would become a second
 * holder.
 */
export async function nodesOnce(settings: KeepalivedMonitorSettings): Promise<KnownNodes | undefined> {
  const { apiVips, ingressVips, source, servers, apiPort, profile } = settings;
  if (source === 'static') {
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

/** A group of this node alone: enough to find mistakes in the template or the flags. */
export function onlyThisNode(
  { nodeName }: KeepalivedMonitorSettings,
  interfaces: readonly NetworkInterface[],
): KnownNodes {
  const nodes = [{ name: nodeName, addresses: addressesOf(interfaces) }];
  return { controlPlane: nodes, allNodes: nodes };
}
