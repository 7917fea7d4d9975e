import { isInSubnet, parseAddress } from '../../engine/system/network/node-address.ts';
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
  return address !== undefined && prefixLengthOf(cidr) < bitsOf(cidr) && isInSubnet(address, cidr);
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
  return Number(cidr.split('/')[1] ?? Number.NaN);
}

function bitsOf(cidr: string): number {
  return cidr.includes(':') ? 128 : 32;
}
