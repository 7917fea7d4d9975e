import { readlinkSync } from 'node:fs';
import { entriesOf, readText } from '../file/read-regular-file.ts';

export interface ListeningPort {
  /** Hexadecimal, each word in the machine's byte order: `0100007F` is 127.0.0.1. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** `TCP_LISTEN` of the kernel, as printed in /proc/net/tcp. */
const LISTEN = '0A';

/** The TCP ports with a listener on any address in this network namespace. */
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

/** The owner of the socket, such as `nginx, pid 4242`; undefined if it is not visible from here. */
export function ownerOf(listener: ListeningPort): string | undefined {
  const pid = ownerPidOf(listener);
  return pid === undefined ? undefined : `${readText(`/proc/${pid}/comm`).trim()}, pid ${pid}`;
}

interface ListeningSocket {
  /** The path when the socket was bound. It does not change when the file is renamed or removed. */
  readonly path: string;
  readonly inode: string;
}

/** `SO_ACCEPTCON` of the kernel, as printed in /proc/net/unix. */
const LISTENS = 0x10000;

/** The unix sockets with a listener in this network namespace. */
export function listeningUnixSockets(): readonly ListeningSocket[] {
  return readText('/proc/self/net/unix')
    .split('\n')
    .flatMap((line) => {
      const [, , , flags = '', , , inode = '', path = ''] = line.trim().split(/\s+/);
      return path !== '' && (Number.parseInt(flags, 16) & LISTENS) !== 0 ? [{ path, inode }] : [];
    });
}

/** Which of these sockets each process has open, for the processes that this one may inspect. */
export function holdersOf(inodes: ReadonlySet<string>): ReadonlyMap<number, ReadonlySet<string>> {
  const holders = new Map<number, ReadonlySet<string>>();
  if (inodes.size === 0) return holders;
  for (const pid of entriesOf('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const held = entriesOf(`/proc/${pid}/fd`).map((fd) => inodeOf(`/proc/${pid}/fd/${fd}`));
    const ours = held.filter((inode) => inode !== undefined && inodes.has(inode));
    if (ours.length > 0) holders.set(Number(pid), new Set(ours.filter((inode) => inode !== undefined)));
  }
  return holders;
}

function inodeOf(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(descriptor))?.[1];
  } catch {
    return undefined;
  }
}
