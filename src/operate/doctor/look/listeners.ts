import type { HostFiles } from '../../../engine/examine/host-files.ts';
import type { HostProcess } from '../../../engine/examine/host-processes.ts';
import { parseListeners } from '../../../engine/system/network/listening-ports.ts';

/** A listening socket and the process that has it open; none if that is not visible. */
export interface HeldPort {
  readonly port: number;
  /** Where it can be reached: from everywhere, through loopback only, or through one address. */
  readonly scope: 'all' | 'loopback' | 'address';
  readonly holder: HostProcess | undefined;
}

const LOOPBACK_6 = '00000000000000000000000001000000';
const MAPPED_LOOPBACK = /^0{16}FFFF0000[0-9A-F]{6}7F$/;

/** Of an address as the kernel prints it. */
export function scopeOf(address: string): HeldPort['scope'] {
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
  return listeners.map(({ address, port, inode }) => ({
    port,
    scope: scopeOf(address),
    holder: holders.get(inode),
  }));
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
