import { isIP } from 'node:net';

interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/**
 * Whether a request came over loopback from a local program. Requests to another address of the machine do not qualify: a tenant's endpoints may
 * lead a proxy on this machine there. Neither do requests with headers that proxies add.
 */
export function isFromHere(head: string, { remoteAddress = '' }: Connection): boolean {
  return isLoopback(remoteAddress.replace(/^::ffff:/, '')) && !FORWARDED.test(head);
}

const FORWARDED = /^(?:x-forwarded-[^:]*|forwarded|via)[ \t]*:/im;

/** Whether the `Host` header is `localhost` or a loopback address. A browser page after DNS rebinding sends its own name. */
export function isAskedHere(head: string): boolean {
  const [, value = ''] = /^host:[ \t]*(\S*)[ \t]*$/im.exec(head) ?? [];
  const host = value.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return host.toLowerCase() === 'localhost' || isLoopback(host);
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && (address === '::1' || address.startsWith('127.'));
}
