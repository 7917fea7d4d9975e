import { isIP } from 'node:net';
import type { AddressFamily } from './node-address.ts';

/** The family of an address, with or without a prefix length. */
export function familyOf(address: string): AddressFamily {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Whether a prefix is a single address, as VIPs have on an interface: `/32` or `/128`. */
export function isSingleAddress(cidr: string): boolean {
  return cidr.endsWith(familyOf(cidr) === 'ipv6' ? '/128' : '/32');
}

/** The address without its prefix length: `10.0.0.5` of `10.0.0.5/24`. */
export function addressIn(cidr: string): string {
  return cidr.split('/')[0] ?? '';
}

/** The host as in a URL, with brackets around an IPv6 address. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `10.0.0.1:443`, `[fd00::1]:443`. */
export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${urlHost(host)}:${port}`;
}

/** Parses the output of `hostPort`. Undefined for anything else, such as a name or a port above 65535. */
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
