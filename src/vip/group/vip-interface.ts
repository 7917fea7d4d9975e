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
 * Chooses the interface for a VIP: the one whose subnet contains it, else the one of the most specific route to it. The default
 * route does not count, so a mistyped VIP is detected here. Single addresses (`/32`, `/128`) do not count either: a VIP that an
 * earlier run left behind must not determine the interface.
 *
 * If no interface or several fit, none is chosen and the reason lists the candidates. `requested` only needs to exist.
 */
export function chooseVipInterface(
  vip: string,
  interfaces: readonly NetworkInterface[],
  routes: readonly NetworkRoute[],
  requested?: string,
): ChosenInterface {
  const names = interfaces.map(({ name }) => name);
  if (requested !== undefined)
    return names.includes(requested)
      ? { kind: 'chosen', name: requested }
      : none(vip, `no interface "${requested}"`, interfaces);
  const inSubnet = interfaces.filter(({ addresses }) => addresses.some((cidr) => contains(cidr, vip)));
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

function contains(cidr: string, vip: string): boolean {
  const address = parseAddress(vip);
  return address !== undefined && !isSingleAddress(cidr) && isInSubnet(address, cidr);
}

/** The interfaces of the most specific routes to the VIP. */
function routedInterfaces(vip: string, routes: readonly NetworkRoute[]): readonly string[] {
  const leading = routes.filter(
    (route) => prefixLengthOf(route.destination) > 0 && contains(route.destination, vip),
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
 * Why an address cannot be a VIP on this node: it is unusable, it is an address of the node itself, it is the first or last one of a
 * subnet, or no interface fits. `isOurs`: the address may already be on this node as a `/32` or `/128`, because hawser manages it.
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

/** The network and broadcast address of a subnet; empty if it has none (/31, /127 and single addresses). */
function edgesOf(cidr: string): readonly string[] {
  const length = prefixLengthOf(cidr);
  if (cidr.includes(':')) return length < 127 ? [ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()] : [];
  if (length >= 31) return [];
  const edges = [ipaddr.IPv4.networkAddressFromCIDR(cidr), ipaddr.IPv4.broadcastAddressFromCIDR(cidr)];
  return edges.map(String);
}
