import ipaddr from 'ipaddr.js';
import { isInSubnet, parseAddress } from '../engine/system/network/node-address.ts';

type CheckedAddress =
  | { readonly kind: 'usable'; readonly address: string }
  | { readonly kind: 'unsafe'; readonly reason: string };

/** Metadata services disclose a machine's identity and often its credentials. */
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

/** Addresses that a route must not use as endpoints. */
export interface DeniedEndpoints {
  /** ROUTER_DENIED_ENDPOINTS: networks in CIDR form. */
  readonly networks: readonly string[];
  /** The router's own addresses and ports; undefined when no router runs, as in `render`. */
  readonly own?: { readonly addresses: ReadonlySet<string>; readonly ports: ReadonlySet<number> };
}

const unsafeRanges: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  unspecified: 'the unspecified address',
  broadcast: 'the broadcast address',
  // The kernel or a gateway would connect to the embedded IPv4 address, which this check cannot vet.
  ipv4Mapped: 'IPv4 in IPv6',
  rfc6145: 'IPv4 in IPv6',
  rfc6052: 'IPv4 in IPv6',
  '6to4': 'IPv4 in IPv6',
  teredo: 'IPv4 in IPv6',
};

/** 240.0.0.0/4. */
const FUTURE_USE = /^2[45]\d\./;

/**
 * Returns an endpoint's address in its canonical form, or why it is unsafe. Tenants can write any address into their endpoints: an
 * address of the router's own node or of a metadata service would expose data that only the node may read.
 */
export function checkAddress(text: string, denied: readonly string[] = []): CheckedAddress {
  const parsed = parseAddress(text);
  if (parsed === undefined) {
    const isMapped = ipaddr.IPv6.isValid(text) && text.includes(':');
    return { kind: 'unsafe', reason: isMapped ? 'IPv4 in IPv6' : 'not an IP address' };
  }
  if (metadataServices.has(parsed.text)) return { kind: 'unsafe', reason: 'a metadata service' };
  const { parts, range } = describe(parsed.text);
  const reason = unsafeRanges[range] ?? (FUTURE_USE.test(parsed.text) ? 'a reserved address' : undefined);
  if (reason !== undefined) return { kind: 'unsafe', reason };
  // IPv4-compatible, such as ::192.0.2.1. ipaddr.js classifies it as unicast.
  const isCompatible = parts?.slice(0, 6).every((part) => part === 0);
  if (isCompatible) return { kind: 'unsafe', reason: 'IPv4 in IPv6' };
  if (denied.some((network) => isInSubnet(parsed, network)))
    return { kind: 'unsafe', reason: 'an address in a denied network' };
  // Reuses the given string if it is already canonical, to save memory.
  return { kind: 'usable', address: parsed.text === text ? text : parsed.text };
}

function describe(text: string): { readonly range: string; readonly parts?: readonly number[] } {
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6
    ? { range: address.range(), parts: address.parts }
    : { range: address.range() };
}
