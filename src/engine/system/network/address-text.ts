import { isIP } from 'node:net';
import type { AddressFamily } from './node-address.ts';

/** Of an address, or of one with its prefix. */
export function familyOf(address: string): AddressFamily {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Whether a prefix is a single address, as a VIP is put on an interface: `/32` or `/128`. */
export function isSingleAddress(cidr: string): boolean {
  return cidr.endsWith(familyOf(cidr) === 'ipv6' ? '/128' : '/32');
}

/** `10.0.0.5` of `10.0.0.5/24`. */
export function addressIn(cidr: string): string {
  return cidr.split('/')[0] ?? '';
}

/** A host as in a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `10.0.0.1:443`, `[fd00::1]:443`. */
export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${urlHost(host)}:${port}`;
}

/** What `hostPort` wrote; undefined for anything else, such as a name or a port above 65535. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  return isIP(host) !== 0 && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** The host of a URL, without the brackets around IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
