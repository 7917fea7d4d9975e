import { isIP } from 'node:net';

/**
 * Whether a request was meant for this machine, by its `Host`: `localhost`, a loopback address, or the address that it
 * came in on. A page in a browser whose name was made to lead here (DNS rebinding) asks for that name.
 */
export function isAskedHere(head: string, localAddress: string | undefined): boolean {
  const [, value = ''] = /^host:[ \t]*(\S*)[ \t]*$/im.exec(head) ?? [];
  const host = value.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  if (host.toLowerCase() === 'localhost') return true;
  if (isIP(host) === 0) return false;
  return host === '::1' || host.startsWith('127.') || host === localAddress?.replace(/^::ffff:/, '');
}
