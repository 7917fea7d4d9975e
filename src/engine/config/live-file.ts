import { lstat, readdir, readlink, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { nameBehind, writeFileAtomically } from '../system/file/atomic-write.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import { MAX_FOUND_BYTES } from './limits.ts';

/** A configuration file and the paths used while it is replaced. */
export interface LiveFile {
  readonly path: string;
  /** Written and validated before it replaces the file. Left over only if a monitor was killed. */
  readonly candidate: string;
  /** A second link to the file while it is validated, with a number appended. */
  readonly checked: string;
  /** A copy of the last text that the supervisor acknowledged. */
  readonly lastGood: string;
}

/**
 * The paths for the file behind `configPath`. A symbolic link is followed and stays a link. Replacing the link would leave its target, which another
 * program may read, out of date.
 */
export async function findLiveFile(configPath: string): Promise<LiveFile> {
  const path = await followLinks(configPath, 8);
  return { path, candidate: `${path}.candidate`, checked: `${path}.checked`, lastGood: `${path}.last-good` };
}

/** `realpath` would fail: the target of a link may not exist yet. */
async function followLinks(path: string, left: number): Promise<string> {
  if (left === 0 || !(await isLink(path))) return path;
  return await followLinks(resolve(dirname(path), await readlink(path)), left - 1);
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Reads a file. Returns undefined if it is missing or unreadable for this user, because it can still be replaced. Throws the system's error in every
 * other case, such as a directory, a FIFO or a broken disk.
 */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return (await readRegularFile(path, { MAX_FOUND_BYTES })).bytes;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'EACCES') return undefined;
    throw error;
  }
}

/**
 * Sets the permissions of the file and its last good copy to `mode`, because the text may contain secrets. The files are rewritten: a monitor without
 * CAP_FOWNER cannot chmod another user's file.
 */
export async function keepModes(file: LiveFile, mode: number): Promise<void> {
  for (const path of [file.path, file.lastGood]) {
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || (stats.mode & 0o777) === mode) continue;
    const content = await readIfThere(path);
    if (content !== undefined) await writeFileAtomically(path, content, { mode });
  }
}

/** A younger file may belong to a process that is still writing. */
export const LEFTOVER_AGE_MS = 60_000;

/**
 * Removes what a killed monitor left half-written: the candidate, the checked link, and temporary files of `writeFileAtomically` for these names, if
 * they are at least `LEFTOVER_AGE_MS` old. Never fails: a leftover costs only disk space.
 */
export async function removeLeftovers(file: LiveFile, nowMs: number): Promise<void> {
  const directory = dirname(file.path);
  const names = await readdir(directory).catch(() => []);
  const ours = [file.path, file.candidate, file.lastGood].map((path) => basename(path));
  const isLink = (name: string): boolean => name.startsWith(`${basename(file.checked)}.`);
  const leftovers = names.filter(
    (name) => name === basename(file.candidate) || isLink(name) || ours.includes(nameBehind(name) ?? ''),
  );
  for (const name of leftovers) await removeIfOld(join(directory, name), nowMs).catch(() => undefined);
}

async function removeIfOld(path: string, nowMs: number): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (nowMs - mtimeMs >= LEFTOVER_AGE_MS) await unlink(path);
}

/**
 * Removes every configuration to start with: renames the live file to `NAME.left`, overwriting an earlier one, and removes the last good copy.
 * Returns false if there was no live file. Throws the system's error.
 */
export async function setAside({ path, lastGood }: LiveFile): Promise<boolean> {
  await rm(lastGood, { force: true });
  try {
    await rename(path, `${path}.left`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
