import ipaddr from 'ipaddr.js';
import { addressIn, isSingleAddress } from '../../engine/system/network/address-text.ts';
import { isReachableFromOtherNodes, parseAddress } from '../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../engine/system/network/routes.ts';
import { chooseVipInterface } from './vip-interface.ts';

/**
 * Why an address cannot be a VIP on this node: it is unusable, it is taken by the node itself, it is the first
 * or last one of a subnet, or no interface fits. `isOurs`: a VIP of hawser's may be here as an address of its own.
 */
export function vipProblems(
  vip: string,
  node: {
    readonly interfaces: readonly NetworkInterface[];
    readonly routes: readonly NetworkRoute[];
    readonly interface?: string | undefined;
    readonly isOurs: boolean;
  },
): readonly string[] {
  const parsed = parseAddress(vip);
  if (parsed === undefined) return [`Cannot use VIP "${vip}": not an IPv4 or IPv6 address`];
  if (!isReachableFromOtherNodes(parsed))
    return [
      `Cannot use VIP "${vip}": other nodes cannot reach such an address, expected one of their subnet`,
    ];
  const subnets = node.interfaces.flatMap(({ name, addresses }) => addresses.map((cidr) => ({ name, cidr })));
  const own = subnets.find(
    ({ cidr }) => addressOf(cidr) === parsed.text && !(node.isOurs && isSingleAddress(cidr)),
  );
  if (own !== undefined)
    return [
      `Cannot use VIP "${vip}": it is this node's own address ${own.cidr} on ${own.name}, expected one that no machine has`,
    ];
  const edge = subnets.find(({ cidr }) => edgesOf(cidr).includes(parsed.text));
  if (edge !== undefined)
    return [
      `Cannot use VIP "${vip}": it is the network or broadcast address of ${edge.cidr} on ${edge.name}, expected one in between`,
    ];
  const chosen = chooseVipInterface(parsed.text, node.interfaces, node.routes, node.interface);
  return chosen.kind === 'none' ? [chosen.reason] : [];
}

function addressOf(cidr: string): string | undefined {
  return parseAddress(addressIn(cidr))?.text;
}

/** None where a subnet has no room for them (/31, /127 and single addresses). */
function edgesOf(cidr: string): readonly string[] {
  const length = Number(cidr.split('/')[1]);
  if (cidr.includes(':')) return length < 127 ? [ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()] : [];
  if (length >= 31) return [];
  const edges = [ipaddr.IPv4.networkAddressFromCIDR(cidr), ipaddr.IPv4.broadcastAddressFromCIDR(cidr)];
  return edges.map(String);
}
