import ipaddr from 'ipaddr.js';
import { isInSubnet, parseAddress } from '../engine/system/network/node-address.ts';

type CheckedAddress =
  | { readonly kind: 'usable'; readonly address: string }
  | { readonly kind: 'unsafe'; readonly reason: string };

/** Metadata services, which disclose a machine's identity and often its credentials. */
const metadataServices: ReadonlySet<string> = new Set([
  '169.254.169.254',
  // Azure, Alibaba, Oracle.
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  // AWS, Google, Scaleway, Oracle.
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
]);

/** Places without endpoints, by the router's administrator and by the router's own node. */
export interface DeniedPlaces {
  /** ROUTER_DENIED_ENDPOINTS: networks in CIDR form. */
  readonly networks: readonly string[];
  /** The addresses and ports of the router itself; absent where nothing runs. */
  readonly own?: { readonly addresses: ReadonlySet<string>; readonly ports: ReadonlySet<number> };
}

const unsafeRanges: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  unspecified: 'the unspecified address',
  broadcast: 'the broadcast address',
  // The kernel, or a gateway, would speak IPv4 to it, to whichever address it hides.
  ipv4Mapped: 'IPv4 in IPv6',
  rfc6145: 'IPv4 in IPv6',
  rfc6052: 'IPv4 in IPv6',
  '6to4': 'IPv4 in IPv6',
  teredo: 'IPv4 in IPv6',
};

/** 240.0.0.0/4. */
const FUTURE_USE = /^2[45]\d\./;

/**
 * An endpoint's address in its canonical form. A tenant can write any address into its endpoints: those that mean the
 * router's own node, or a metadata service, would let it read what only the node may.
 */
export function checkAddress(text: string, denied: readonly string[] = []): CheckedAddress {
  const parsed = parseAddress(text);
  if (parsed === undefined) {
    const isMapped = ipaddr.IPv6.isValid(text) && text.includes(':');
    return { kind: 'unsafe', reason: isMapped ? 'IPv4 in IPv6' : 'no address' };
  }
  if (metadataServices.has(parsed.text)) return { kind: 'unsafe', reason: 'a metadata service' };
  const { parts, range } = describe(parsed.text);
  const reason = unsafeRanges[range] ?? (FUTURE_USE.test(parsed.text) ? 'a reserved address' : undefined);
  if (reason !== undefined) return { kind: 'unsafe', reason };
  // IPv4-compatible: ::192.0.2.1. ipaddr.js counts it as unicast.
  const isCompatible = parts?.slice(0, 6).every((part) => part === 0);
  if (isCompatible) return { kind: 'unsafe', reason: 'IPv4 in IPv6' };
  if (denied.some((network) => isInSubnet(parsed, network)))
    return { kind: 'unsafe', reason: 'an address that the router denies' };
  // The text itself where it is canonical: it is there already, and stays.
  return { kind: 'usable', address: parsed.text === text ? text : parsed.text };
}

function describe(text: string): { readonly range: string; readonly parts?: readonly number[] } {
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6
    ? { range: address.range(), parts: address.parts }
    : { range: address.range() };
}
