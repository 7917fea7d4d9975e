import type { AddressFamily } from './node-address.ts';

/** Of an address, or of one with its prefix. */
export function familyOf(address: string): AddressFamily {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Whether a prefix is a single address, as a VIP is put on an interface: `/32` or `/128`. */
export function isSingleAddress(cidr: string): boolean {
  return cidr.endsWith(familyOf(cidr) === 'ipv6' ? '/128' : '/32');
}

/** A host as a URL has it: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `10.0.0.1:443`, `[fd00::1]:443`. */
export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${urlHost(host)}:${port}`;
}
