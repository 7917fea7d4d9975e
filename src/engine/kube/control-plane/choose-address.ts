import {
  type AddressFamily,
  isInSubnet,
  isReachableFromOtherNodes,
  type NodeAddress,
  parseAddress,
} from '../../system/network/node-address.ts';

export interface AddressPreference {
  /** The first VIP's family is preferred, the other family is the fallback. */
  readonly vips: readonly string[];
  /** CIDRs of this machine's interfaces, to find the subnets of the VIPs. */
  readonly subnets: readonly string[];
}

type ChosenAddress =
  | { readonly kind: 'chosen'; readonly address: string }
  | { readonly kind: 'none'; readonly reason: string };

/** The families of the VIPs in order, without duplicates. Without a valid VIP both families, IPv4 first. */
export function familiesOf(vips: readonly string[]): readonly AddressFamily[] {
  const families = vips.flatMap((vip) => parseAddress(vip)?.family ?? []);
  return families.length === 0 ? ['ipv4', 'ipv6'] : [...new Set(families)];
}

/**
 * The address at which the load balancer reaches an API server: of a VIP's family, preferably in that VIP's own subnet, otherwise the first one.
 * Never a VIP, because the load balancer would connect to itself; a node that holds the VIP lists it among its addresses. Never an address that other
 * nodes cannot reach. `families` overrides the VIPs' families.
 */
export function chooseAddress(
  addresses: readonly string[],
  preference: AddressPreference,
  families: readonly AddressFamily[] = familiesOf(preference.vips),
): ChosenAddress {
  const vips = preference.vips.flatMap((vip) => parseAddress(vip) ?? []);
  const vipTexts = new Set(vips.map((vip) => vip.text));
  const usable = addresses
    .flatMap((address) => parseAddress(address) ?? [])
    .filter((address) => isReachableFromOtherNodes(address) && !vipTexts.has(address.text));
  for (const family of families) {
    const [first, ...others] = usable.filter((address) => address.family === family);
    if (first === undefined) continue;
    // The common case of a single address. With thousands of nodes, comparing subnets would be most of the work.
    const near = others.length === 0 ? first : nearest([first, ...others], vips, preference.subnets);
    return { kind: 'chosen', address: (near ?? first).text };
  }
  return { kind: 'none', reason: reasonWhyNot(addresses, families) };
}

/** The first address in the subnet of a VIP. */
function nearest(
  addresses: readonly NodeAddress[],
  vips: readonly NodeAddress[],
  subnets: readonly string[],
): NodeAddress | undefined {
  const ofVips = subnets.filter((subnet) => vips.some((vip) => isInSubnet(vip, subnet)));
  return addresses.find((address) => ofVips.some((subnet) => isInSubnet(address, subnet)));
}

function reasonWhyNot(addresses: readonly string[], families: readonly AddressFamily[]): string {
  if (addresses.length === 0) return 'it has no internal address';
  const shown = addresses.slice(0, 4).map((address) => JSON.stringify(address.slice(0, 45)));
  return `none of its addresses ${shown.join(', ')} is a usable ${families.join(' or ')} address that is not a VIP`;
}
