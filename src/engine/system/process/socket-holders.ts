import { readlinkSync } from 'node:fs';
import { entriesOf, readText } from '../file/read-text.ts';

interface ListeningSocket {
  /** As it was when the socket was bound: a file that was renamed or removed since has its old name here. */
  readonly path: string;
  readonly inode: string;
}

/** `SO_ACCEPTCON` of the kernel, as /proc/net/unix prints it. */
const LISTENS = 0x10000;

/** The unix sockets that are listened on in this network namespace. */
export function listeningUnixSockets(): readonly ListeningSocket[] {
  return readText('/proc/self/net/unix')
    .split('\n')
    .flatMap((line) => {
      const [, , , flags = '', , , inode = '', path = ''] = line.trim().split(/\s+/);
      return path !== '' && (Number.parseInt(flags, 16) & LISTENS) !== 0 ? [{ path, inode }] : [];
    });
}

/** Which of these sockets each process holds, for the processes we may inspect. */
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
