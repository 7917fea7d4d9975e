import type { HostFiles } from '../../../engine/examine/host-files.ts';
import type { HostProcess } from '../../../engine/examine/host-processes.ts';

export interface Listener {
  readonly port: number;
  /** Where it can be reached: from everywhere, through loopback only, or through one address. */
  readonly scope: 'all' | 'loopback' | 'address';
  readonly inode: string;
}

/** A listening socket and the processes that have it open; none if they are not visible. */
export interface HeldPort {
  readonly port: number;
  readonly scope: Listener['scope'];
  readonly holder: HostProcess | undefined;
}

const LISTEN = '0A';
const LOOPBACK_6 = '00000000000000000000000001000000';
const MAPPED_LOOPBACK = /^0{16}FFFF0000[0-9A-F]{6}7F$/;

/** The listeners of `/proc/net/tcp` or `tcp6` (proc(5)): addresses are hexadecimal, each word in the machine's order. */
export function parseListeners(text: string): readonly Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = '', port] = local.split(':');
    if (state !== LISTEN || port === undefined || inode === undefined) return [];
    return [{ port: Number.parseInt(port, 16), scope: scopeOf(address), inode }];
  });
}

function scopeOf(address: string): Listener['scope'] {
  if (/^0+$/.test(address)) return 'all';
  const isLoopback =
    /^[0-9A-F]{6}7F$/.test(address) || address === LOOPBACK_6 || MAPPED_LOOPBACK.test(address);
  return isLoopback ? 'loopback' : 'address';
}

/** The listeners on these ports, in this process's network namespace. */
export async function heldPorts(
  files: HostFiles,
  ports: readonly number[],
  processes: () => Promise<readonly HostProcess[]>,
): Promise<readonly HeldPort[]> {
  const texts = await Promise.all(['tcp', 'tcp6'].map((name) => files.value(`/proc/net/${name}`)));
  const listeners = texts
    .flatMap((text) => parseListeners(text ?? ''))
    .filter(({ port }) => ports.includes(port));
  if (listeners.length === 0) return [];
  const holders = await holdersOf(files, new Set(listeners.map(({ inode }) => inode)), await processes());
  return listeners.map(({ port, scope, inode }) => ({ port, scope, holder: holders.get(inode) }));
}

/** The first process found for each socket: a master and its workers share theirs. */
async function holdersOf(
  files: HostFiles,
  inodes: ReadonlySet<string>,
  processes: readonly HostProcess[],
): Promise<ReadonlyMap<string, HostProcess>> {
  const holders = new Map<string, HostProcess>();
  for (const process of processes) {
    if (holders.size === inodes.size) break;
    for (const inode of await socketsOf(files, process.pid))
      if (inodes.has(inode) && !holders.has(inode)) holders.set(inode, process);
  }
  return holders;
}

async function socketsOf(files: HostFiles, pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await files.list(folder)).map((fd) => files.link(`${folder}/${fd}`)));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link ?? '')?.[1] ?? []);
}
