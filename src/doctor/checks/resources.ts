import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Check, type Finding, fail, ok, skip, unknown, warn, worstOf } from '../check.ts';
import type { HostFiles } from '../host-files.ts';

export interface DiskLook {
  readonly path: string;
  readonly freeBytes: number;
  readonly freeShare: number;
  /** Undefined where the file system does not count them. */
  readonly freeFiles: number | undefined;
}

const MEGABYTE = 1_000_000;

export function judgeDisk({ path, freeBytes, freeShare, freeFiles }: DiskLook): Finding {
  const free = `${Math.floor(freeBytes / MEGABYTE)} MB free for ${path}`;
  const todo = `df -h ${path}; df -i ${path}; crictl rmi --prune; journalctl --vacuum-size=200M`;
  if (freeBytes < 10 * MEGABYTE) return fail(free, todo);
  if (freeFiles !== undefined && freeFiles < 100)
    return fail(`${freeFiles} files can still be made in ${path}`, todo);
  return freeShare < 0.02 && freeBytes < 1_000 * MEGABYTE ? warn(free, todo) : ok(free);
}

const disk: Check = {
  id: 'disk',
  title: 'Room for configuration',
  why: 'A full disk keeps every new haproxy.cfg from being written: HAProxy goes on with an old list.',
  run: async ({ files, settings }) => {
    const folders = [settings.haproxyConfig, settings.keepalivedConfig].map((path) => dirname(path));
    return worstOf(await Promise.all([...new Set(folders)].map((folder) => lookAtDisk(files, folder))), '');
  },
};

/** Of the nearest directory that is there: before the installation it may be `/etc`. */
async function lookAtDisk(files: HostFiles, folder: string): Promise<Finding> {
  try {
    const { bavail, blocks, bsize, files: most, ffree } = await statfs(files.at(folder));
    const freeFiles = most === 0 ? undefined : ffree;
    return judgeDisk({ path: folder, freeBytes: bavail * bsize, freeShare: bavail / blocks, freeFiles });
  } catch {
    return folder === '/'
      ? unknown('the disk cannot be looked at', 'df -h')
      : await lookAtDisk(files, dirname(folder));
  }
}

export interface CpuLook {
  /** Percent of the last ten seconds in which some process waited for a processor (`/proc/pressure/cpu`). */
  readonly pressure: number | undefined;
  /** Percent of a moment in which this process was runnable and did not run. */
  readonly waited: number | undefined;
}

export function judgeCpu({ pressure, waited }: CpuLook): Finding {
  const seen = [
    ...(pressure === undefined
      ? []
      : [`processes waited for a processor ${pressure.toFixed(0)} % of the last 10 s`]),
    ...(waited === undefined ? [] : [`this one ${waited.toFixed(0)} % of a moment`]),
  ];
  if (seen.length === 0)
    return unknown(
      'neither /proc/pressure/cpu nor /proc/self/schedstat can be read',
      'boot with psi=1; uptime',
    );
  const todo = 'top; give the pods more cpu requests; keep other load off control-plane nodes';
  const found = seen.join(', ');
  if ((waited ?? 0) >= 60) return fail(found, todo);
  return (pressure ?? 0) >= 40 || (waited ?? 0) >= 25 ? warn(found, todo) : ok(found);
}

const MOMENT_MS = 500;

const cpu: Check = {
  id: 'cpu',
  title: 'Waiting for a processor',
  why: 'A keepalived that does not run for 300 ms sends no adverts: the VIP moves away from a healthy node.',
  run: async ({ files }, signal) => {
    const text = (await files.value('/proc/pressure/cpu')) ?? '';
    const [, average] = /^some avg10=([\d.]+)/m.exec(text) ?? [];
    const before = runDelayMs();
    const start = performance.now();
    await pause(MOMENT_MS, undefined, { signal });
    const after = runDelayMs();
    const elapsedMs = performance.now() - start;
    const waited =
      before === undefined || after === undefined ? undefined : ((after - before) / elapsedMs) * 100;
    return judgeCpu({ pressure: average === undefined ? undefined : Number(average), waited });
  },
};

/** How long this thread has waited on a run queue so far; asked without a thread of the pool, which would wait too. */
function runDelayMs(): number | undefined {
  try {
    const [, delayNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(delayNs) / 1_000_000;
  } catch {
    return undefined;
  }
}

export interface MemoryLook {
  readonly availableMb: number;
  readonly totalMb: number;
  /** Times that the kernel has ended a process for want of memory (`/proc/vmstat`). */
  readonly kills: number;
}

export function judgeMemory({ availableMb, totalMb, kills }: MemoryLook): Finding {
  const found = `${availableMb} of ${totalMb} MB are available`;
  const todo = 'ps aux --sort=-rss | head; limits and requests of the pods on this node';
  if (availableMb < 100) return fail(found, todo);
  if (availableMb < 300) return warn(found, todo);
  return kills > 0
    ? warn(
        `${found}; since boot ${kills} processes were ended for want of memory`,
        `journalctl -k -g 'Out of memory|oom-kill'; ${todo}`,
      )
    : ok(found);
}

const memory: Check = {
  id: 'memory',
  title: 'Memory',
  why: 'Where memory runs out the kernel ends processes: HAProxy, keepalived or the API server.',
  run: async ({ files }) => {
    const [info = '', vmstat = ''] = await Promise.all(
      ['/proc/meminfo', '/proc/vmstat'].map((path) => files.value(path)),
    );
    const mb = (key: string): number =>
      Math.floor(Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(info)?.[1]) / 1_024);
    if (Number.isNaN(mb('MemAvailable'))) return unknown('/proc/meminfo cannot be read', 'free -m');
    const kills = Number(/^oom_kill (\d+)/m.exec(vmstat)?.[1] ?? 0);
    return judgeMemory({ availableMb: mb('MemAvailable'), totalMb: mb('MemTotal'), kills });
  },
};

export function judgeConntrack(count: number | undefined, most: number | undefined): Finding {
  if (count === undefined || most === undefined || most === 0)
    return skip('connections are not tracked here');
  const share = Math.floor((count / most) * 100);
  const found = `${count} of ${most} tracked connections (${share} %)`;
  const todo = `sysctl -w net.netfilter.nf_conntrack_max=${most * 2} (and in /etc/sysctl.d/); conntrack -S`;
  if (share >= 95) return fail(found, todo);
  return share >= 75 ? warn(found, todo) : ok(found);
}

const conntrack: Check = {
  id: 'conntrack',
  title: 'Connection tracking',
  why: 'When the table is full the kernel drops the first packet of new connections, to the VIP as well.',
  run: async ({ files }) => {
    const read = async (name: string): Promise<number | undefined> => {
      const text = await files.value(`/proc/sys/net/netfilter/nf_conntrack_${name}`);
      return text === undefined ? undefined : Number(text);
    };
    return judgeConntrack(await read('count'), await read('max'));
  },
};

export function judgeClientPorts(used: number, range: string | undefined): Finding {
  const [first = 0, last = 0] = (range ?? '').split(/\s+/).map(Number);
  const size = last - first + 1;
  if (last === 0) return unknown('ip_local_port_range cannot be read', 'sysctl net.ipv4.ip_local_port_range');
  const found = `${used} sockets, open or closing, for ${size} client ports`;
  const todo = 'ss -s; sysctl -w net.ipv4.ip_local_port_range="15000 64000" net.ipv4.tcp_tw_reuse=1';
  if (used >= size * 0.9) return fail(found, todo);
  return used >= size * 0.6 ? warn(found, todo) : ok(found);
}

const clientPorts: Check = {
  id: 'client-ports',
  title: 'Ports left for connections',
  why: 'HAProxy takes a local port for each connection to a server; without one, clients are refused.',
  run: async ({ files }) => {
    const stat = (await files.value('/proc/net/sockstat')) ?? '';
    const [, inUse = '0', waiting = '0'] = /^TCP: inuse (\d+) orphan \d+ tw (\d+)/m.exec(stat) ?? [];
    return judgeClientPorts(
      Number(inUse) + Number(waiting),
      await files.value('/proc/sys/net/ipv4/ip_local_port_range'),
    );
  },
};

export const resourceChecks: readonly Check[] = [disk, cpu, memory, conntrack, clientPorts];
