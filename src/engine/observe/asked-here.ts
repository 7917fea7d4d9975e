import { isIP } from 'node:net';

interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/**
 * Whether a request came over this machine's loopback, from a program that asks for itself. A request to one of the machine's own addresses does not
 * count: a proxy on this machine may have been led there by somebody else's endpoints. Neither does one with the headers that proxies add.
 */
export function isFromHere(head: string, { remoteAddress = '' }: Connection): boolean {
  return isLoopback(remoteAddress.replace(/^::ffff:/, '')) && !FORWARDED.test(head);
}

const FORWARDED = /^(?:x-forwarded-[^:]*|forwarded|via)[ \t]*:/im;

/**
 * Whether a request was meant for this machine, by its `Host`: `localhost` or a loopback address. A page in a browser whose name was made to lead
 * here (DNS rebinding) asks for that name.
 */
export function isAskedHere(head: string): boolean {
  const [, value = ''] = /^host:[ \t]*(\S*)[ \t]*$/im.exec(head) ?? [];
  const host = value.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return host.toLowerCase() === 'localhost' || isLoopback(host);
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && (address === '::1' || address.startsWith('127.'));
}
