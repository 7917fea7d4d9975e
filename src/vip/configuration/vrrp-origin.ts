import type { Origin } from '../../engine/monitor/last-change.ts';
import { addressIn } from '../../engine/system/network/address-text.ts';
import type { ClusterNode } from '../../engine/system/network/cluster-node.ts';
import type { KeepalivedModel, VrrpInput } from '../group/vrrp.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';

/**
 * What a keepalived.conf was made from. VIPs are left out of the interfaces' addresses: they come and go without a
 * change.
 */
export function vrrpOrigin(
  { settings, controlPlane, allNodes, interfaces, routes }: VrrpInput,
  text: string,
): Origin {
  const vips = new Set([...settings.apiVips, ...settings.ingressVips]);
  const network = interfaces.map(({ name, addresses }) => {
    return [name, addresses.filter((cidr) => !vips.has(addressIn(cidr)))];
  });
  return {
    text,
    parts: {
      'nodes-changed': JSON.stringify([listOf(controlPlane), listOf(allNodes)]),
      'network-changed': JSON.stringify([network, routes]),
    },
  };
}

function listOf(nodes: readonly ClusterNode[]): readonly string[] {
  return nodes.map(({ name, addresses }) => `${name} ${addresses.join(' ')}`).sort();
}

/** The nodes that share the API VIP (ingress where there is none), the highest priority first. */
export function groupOf(
  model: KeepalivedModel | undefined,
  input: VrrpInput | undefined,
): KeepalivedMonitorStatus['group'] {
  const instance = model?.instances[0];
  if (instance === undefined || input === undefined) return [];
  const { kind, sourceAddress, priority, peers } = instance;
  const nodes = kind === 'api' ? input.controlPlane : input.allNodes;
  const listed = nodes.find(({ addresses }) => addresses.includes(sourceAddress));
  const self = { name: listed?.name ?? input.settings.nodeName, address: sourceAddress, priority };
  return [{ ...self, self: true }, ...peers.map((peer) => ({ ...peer, self: false }))].toSorted(
    (a, b) => b.priority - a.priority,
  );
}
