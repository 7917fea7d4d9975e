import ipaddr from 'ipaddr.js';
import { addressIn, isSingleAddress } from '../../engine/system/network/address-text.ts';
import {
  isInSubnet,
  isReachableFromOtherNodes,
  parseAddress,
} from '../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../engine/system/network/routes.ts';

type ChosenInterface =
  | { readonly kind: 'chosen'; readonly name: string }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The interface that a VIP belongs on: the one whose subnet holds it, else the one of the most specific route to it.
 * A default route leads everywhere and says nothing, so a mistyped VIP is found out here. Addresses of their own
 * (`/32`, `/128`) say nothing either: a VIP that an earlier run left behind must not choose its interface.
 *
 * If none or several fit, nothing is chosen and the reason lists the candidates. `wanted` only has to exist.
 */
export function chooseVipInterface(
  vip: string,
  interfaces: readonly NetworkInterface[],
  routes: readonly NetworkRoute[],
  wanted?: string,
): ChosenInterface {
  const names = interfaces.map(({ name }) => name);
  if (wanted !== undefined)
    return names.includes(wanted)
      ? { kind: 'chosen', name: wanted }
      : none(vip, `no interface "${wanted}"`, interfaces);
  const inSubnet = interfaces.filter(({ addresses }) => addresses.some((cidr) => holds(cidr, vip)));
  const fitting = inSubnet.length > 0 ? inSubnet.map(({ name }) => name) : routedInterfaces(vip, routes);
  const [first, ...more] = [...new Set(fitting)].filter((name) => names.includes(name));
  if (first === undefined) return none(vip, 'no interface has a subnet or a route with it', interfaces);
  return more.length === 0
    ? { kind: 'chosen', name: first }
    : none(vip, `several interfaces (${[first, ...more].join(', ')}) fit`, interfaces);
}

function none(vip: string, what: string, interfaces: readonly NetworkInterface[]): ChosenInterface {
  const shown = interfaces.map(({ name, addresses }) => `${name} (${addresses.join(' ') || 'no address'})`);
  const list = shown.length === 0 ? 'none' : shown.join(', ');
  return {
    kind: 'none',
    reason: `Cannot choose an interface for VIP "${vip}": ${what}, expected one of ${list}; --interface names it`,
  };
}

function holds(cidr: string, vip: string): boolean {
  const address = parseAddress(vip);
  return address !== undefined && !isSingleAddress(cidr) && isInSubnet(address, cidr);
}

/** Of the routes that lead to the VIP the most specific ones. */
function routedInterfaces(vip: string, routes: readonly NetworkRoute[]): readonly string[] {
  const leading = routes.filter(
    (route) => prefixLengthOf(route.destination) > 0 && holds(route.destination, vip),
  );
  const longest = Math.max(0, ...leading.map((route) => prefixLengthOf(route.destination)));
  return leading
    .filter((route) => prefixLengthOf(route.destination) === longest)
    .map((route) => route.interface);
}

function prefixLengthOf(cidr: string): number {
  return Number(cidr.split('/')[1]);
}

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
  const length = prefixLengthOf(cidr);
  if (cidr.includes(':')) return length < 127 ? [ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()] : [];
  if (length >= 31) return [];
  const edges = [ipaddr.IPv4.networkAddressFromCIDR(cidr), ipaddr.IPv4.broadcastAddressFromCIDR(cidr)];
  return edges.map(String);
}
