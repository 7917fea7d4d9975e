import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, type Finding, fail, ok, unknown, warn, worstOf } from '../check.ts';
import type { HostFiles } from '../host-files.ts';

export interface DiskUsage {
  readonly path: string;
  readonly freeBytes: number;
  readonly freeShare: number;
  /** Undefined where the file system does not count them. */
  readonly freeFiles: number | undefined;
}

const MEGABYTE = 1_000_000;

export function judgeDisk({ path, freeBytes, freeShare, freeFiles }: DiskUsage): Finding {
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

/** Readings at the nearest directory that exists: before the installation that may be `/etc`. */
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

export const diskChecks: readonly Check[] = [disk];
