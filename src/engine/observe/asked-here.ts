import { isIP } from 'node:net';

interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Whether it came from this machine: over loopback, or to an address of this machine from the same one. */
export function isFromHere({ localAddress, remoteAddress = '' }: Connection): boolean {
  if (remoteAddress === '') return false;
  const remote = plain(remoteAddress);
  return remote === '::1' || remote.startsWith('127.') || remote === plain(localAddress ?? '');
}

/**
 * Whether a request was meant for this machine, by its `Host`: `localhost`, a loopback address, or the address that it
 * came in on. A page in a browser whose name was made to lead here (DNS rebinding) asks for that name.
 */
export function isAskedHere(head: string, { localAddress }: Connection): boolean {
  const [, value = ''] = /^host:[ \t]*(\S*)[ \t]*$/im.exec(head) ?? [];
  const host = value.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  if (host.toLowerCase() === 'localhost') return true;
  if (isIP(host) === 0) return false;
  return host === '::1' || host.startsWith('127.') || host === plain(localAddress ?? '');
}

/** Node writes an IPv4 address of a socket for both families as IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '');
}
