import { readText } from '../file/read-text.ts';
import { holdersOf } from '../process/socket-holders.ts';

export interface ListeningPort {
  /** Hexadecimal, each word in the machine's order: `0100007F` is 127.0.0.1. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** `TCP_LISTEN` of the kernel, as /proc/net/tcp prints it. */
const LISTEN = '0A';

/** The TCP ports with a listener in this network namespace, on any address. */
export function listeningPorts(): readonly ListeningPort[] {
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((path) => parseListeners(readText(path)));
}

/** The listeners of `/proc/net/tcp` or `tcp6` (proc(5)). */
export function parseListeners(text: string): readonly ListeningPort[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', port] = local.split(':');
    if (state !== LISTEN || port === undefined || inode === undefined) return [];
    return [{ address, port: Number.parseInt(port, 16), inode }];
  });
}

/** The process that owns the socket; undefined if it is not visible from here. */
export function ownerPidOf({ inode }: ListeningPort): number | undefined {
  return holdersOf(new Set([inode]))
    .keys()
    .next().value;
}

/** `nginx, pid 4242`: the owner of the socket; undefined if it is not visible from here. */
export function ownerOf(listener: ListeningPort): string | undefined {
  const pid = ownerPidOf(listener);
  return pid === undefined ? undefined : `${readText(`/proc/${pid}/comm`).trim()}, pid ${pid}`;
}
