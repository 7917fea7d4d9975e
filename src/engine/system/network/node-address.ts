import ipaddr from 'ipaddr.js';

export interface NodeAddress {
  /** Canonical text (RFC 5952 for IPv6), so that equal addresses are equal strings. */
  readonly text: string;
  readonly family: AddressFamily;
}

export type AddressFamily = 'ipv4' | 'ipv6';

/** Longer than any address, but short enough to make hostile input cheap to parse. */
const longestAddress = 45;

/**
 * The canonical form of an address; undefined for anything else. Accepts only forms that every program interprets in the same way: four decimal parts
 * without leading zeros (`127.1` and `010.0.0.1` are refused, because resolvers disagree about them), or IPv6 without a zone. Refuses IPv4-mapped
 * IPv6: the kernel would use IPv4 for an address that was counted as IPv6.
 */
export function parseAddress(text: string): NodeAddress | undefined {
  if (text.length > longestAddress || text.includes('%')) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return { text: ipaddr.IPv4.parse(text).toString(), family: 'ipv4' };
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  const parsed = ipaddr.IPv6.parse(text);
  return parsed.range() === 'ipv4Mapped' ? undefined : { text: parsed.toString(), family: 'ipv6' };
}

const neverReachableFromOtherNodes: ReadonlySet<string> = new Set([
  'unspecified',
  'broadcast',
  'multicast',
  'linkLocal',
  'loopback',
  'ipv4Mapped',
  'discard',
]);

/** Whether another node can send packets to the address: not loopback, link-local, multicast, broadcast or unspecified. */
export function isReachableFromOtherNodes(address: NodeAddress): boolean {
  return !neverReachableFromOtherNodes.has(ipaddr.parse(address.text).range());
}

/** Whether the address is in `cidr`. False for a `cidr` of the other family, and for invalid text. */
export function isInSubnet(address: NodeAddress, cidr: string): boolean {
  if (cidr.length > longestAddress + 4 || !ipaddr.isValidCIDR(cidr)) return false;
  const [network, prefixLength] = ipaddr.parseCIDR(cidr);
  const parsed = ipaddr.parse(address.text);
  return parsed.kind() === network.kind() && parsed.match(network, prefixLength);
}

/** A canonical address as one hexadecimal number with all its digits, such as `0x0a000005`. */
export function addressNumber(text: string): string {
  const bytes = ipaddr.parse(text).toByteArray();
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The canonical address of such a number. */
export function addressOfNumber(number: bigint, family: AddressFamily): string {
  const length = family === 'ipv4' ? 4 : 16;
  const digits = number.toString(16).padStart(length * 2, '0');
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
  return ipaddr.fromByteArray(bytes).toString();
}
