import { lstat, readdir, readlink, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { nameBehind, writeFileAtomically } from '../system/file/atomic-write.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import { MAX_FOUND_BYTES } from './limits.ts';

/** A configuration file and its siblings during replacement. */
export interface LiveFile {
  readonly path: string;
  /** Written and validated first; exists between two calls only if a monitor was killed. */
  readonly candidate: string;
  /** A second name of the file while it is validated. */
  readonly checked: string;
  /** The last text that the supervisor acknowledged. */
  readonly lastGood: string;
}

/**
 * The file behind `configPath`. A symbolic link stays a link and its target is replaced: replacing the link would leave
 * the target, which another program may read, out of date.
 */
export async function findLiveFile(configPath: string): Promise<LiveFile> {
  const path = await followLinks(configPath, 8);
  return { path, candidate: `${path}.candidate`, checked: `${path}.checked`, lastGood: `${path}.last-good` };
}

/** Not `realpath`: the target of a link may not exist yet. */
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
 * Undefined if the file is missing or not readable for us: it can still be replaced. Throws the system's error for anything else (a directory, a
 * FIFO, a broken disk).
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
 * Gives the file and its last good copy the permissions `mode`: the text may hold secrets. They are rewritten, since a monitor without CAP_FOWNER
 * cannot chmod another user's file.
 */
export async function keepModes(file: LiveFile, mode: number): Promise<void> {
  for (const path of [file.path, file.lastGood]) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || (found.mode & 0o777) === mode) continue;
    const content = await readIfThere(path);
    if (content !== undefined) await writeFileAtomically(path, content, { mode });
  }
}

/** Younger files may belong to a process that is still writing. */
export const LEFTOVER_AGE_MS = 60_000;

/**
 * Removes half-written files of a killed monitor: an old candidate, and temporary files of `writeFileAtomically` for these names, recognised by
 * their form and at least a minute old. Never fails: a leftover costs only some bytes.
 */
export async function removeLeftovers(file: LiveFile, nowMs: number): Promise<void> {
  const directory = dirname(file.path);
  const names = await readdir(directory).catch(() => []);
  const ours = [file.path, file.candidate, file.lastGood].map((path) => basename(path));
  const leftovers = names.filter(
    (name) =>
      [file.candidate, file.checked].includes(join(directory, name)) || ours.includes(nameBehind(name) ?? ''),
  );
  for (const name of leftovers) await removeIfOld(join(directory, name), nowMs).catch(() => undefined);
}

async function removeIfOld(path: string, nowMs: number): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (nowMs - mtimeMs >= LEFTOVER_AGE_MS) await unlink(path);
}

/**
 * Leaves no configuration to start with: renames the live one to `NAME.left`, overwriting an earlier one, and removes the last good copy. False
 * if there was none. Throws the system's error.
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
