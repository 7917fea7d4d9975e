import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { nameBehind } from '../system/file/atomic-write.ts';
import { isNameOnDisk, type PlacedFile } from './layout.ts';
import { refusal } from './set.ts';

/** Creates the folder for the set's files and its subfolders. Throws the system's error, and an error if the path is not a directory. */
export async function makeFolders(
  folder: string,
  layout: readonly PlacedFile[],
  mode: number,
): Promise<void> {
  await makeIfMissing(folder, mode);
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw refusal('EINVAL', `"${folder}" is not a directory`);
  if ((stats.mode & 0o777) !== mode) await chmod(folder, mode);
  const below = new Set<string>();
  for (const { name } of layout)
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) below.add(name.slice(0, at));
  for (const name of below) await makeRealFolder(join(folder, name), mode);
}

/** Anything else at this path was put there by hand. */
async function makeRealFolder(folder: string, mode: number): Promise<void> {
  if (await makeIfMissing(folder, mode)) return;
  if ((await lstat(folder)).isDirectory()) return;
  await rm(folder);
  await makeIfMissing(folder, mode);
}

/** Returns false if the folder existed. Ignores the umask. */
async function makeIfMissing(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    await chmod(folder, mode);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Mode of a folder: a user who may read the main file may enter the folder. */
export function folderMode(mode: number): number {
  return 0o700 | (mode & 0o044) | ((mode & 0o044) >> 2);
}

/** Files that no configuration names, with the time since when, in milliseconds of the Unix epoch. */
export interface Unnamed {
  since: Map<string, number>;
  nextScanMs: number;
  /** Bytes written since the last scan. */
  writtenBytes: number;
}

interface FileUse {
  readonly isNamed: (name: string) => boolean;
  /** Called before a file is removed. */
  readonly forget: (name: string) => void;
}

const SCAN_EVERY_MS = 10 * 60_000;
/** A program may be starting with an older configuration, and the supervisor may keep a copy of one. */
const KEPT_MS = 60 * 60_000;
/** The folder is often in memory, and a tenant may replace a large file every second. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** The files of a set that is being written are not named yet. */
const ALWAYS_KEPT_MS = 60_000;

/**
 * Removes hawser's files that no configuration has named for an hour, and beyond 64 MiB the oldest of those not named for a minute. Returns
 * their names. Scans the folder every ten minutes and after 32 MiB were written. Never fails.
 */
export async function removeUnnamed(
  folder: string,
  { isNamed, forget }: FileUse,
  unnamed: Unnamed,
  nowMs: number,
): Promise<readonly string[]> {
  if (nowMs < unnamed.nextScanMs && unnamed.writtenBytes < KEPT_BYTES / 2) return [];
  unnamed.nextScanMs = nowMs + SCAN_EVERY_MS;
  unnamed.writtenBytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .filter((name) => !isNamed(name) && (isNameOnDisk(name) || nameBehind(basename(name)) !== undefined));
  unnamed.since = new Map(names.map((name) => [name, unnamed.since.get(name) ?? nowMs]));
  const expired = await expiredOf(folder, unnamed.since, nowMs);
  const removed: string[] = [];
  for (const name of expired) {
    // A set that names it again may have been written meanwhile.
    if (isNamed(name)) continue;
    forget(name);
    removed.push(name);
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
  return removed;
}

/** The names in `since` to remove. */
async function expiredOf(
  folder: string,
  since: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<readonly string[]> {
  const files = [];
  for (const [name, sinceMs] of since) {
    const { mtimeMs = 0, size = 0 } = (await lstat(join(folder, name)).catch(() => undefined)) ?? {};
    files.push({ name, unnamedMs: nowMs - sinceMs, mtimeMs, size });
  }
  let keptBytes = 0;
  return files
    .toSorted((a, b) => a.unnamedMs - b.unnamedMs || b.mtimeMs - a.mtimeMs)
    .filter(({ unnamedMs, size }) => {
      keptBytes += size;
      return unnamedMs >= KEPT_MS || (unnamedMs >= ALWAYS_KEPT_MS && keptBytes > KEPT_BYTES);
    })
    .map(({ name }) => name);
}

/** Never fails: a leftover costs only some bytes. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
