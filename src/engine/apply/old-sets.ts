import { lstat, rm } from 'node:fs/promises';
import { readHead } from '../system/file/read-regular-file.ts';
import { MAX_FOUND_BYTES } from './limits.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import { folderNamedIn, folderOf, numbersOf } from './set-path.ts';

/**
 * Number of sets to keep that neither the live file nor the last good one names: HAProxy may be starting with one of them, and another process
 * may be writing the newest.
 */
const KEPT_SETS = 3;
const HEAD_BYTES = 64 * 1024;

/**
 * Keeps the sets of the live file and the last good one, the newest others, and `needed`, that of the file to be restored on a refusal. Never
 * fails.
 */
export async function removeOldSets(file: LiveFile, needed?: string): Promise<void> {
  const others = (await unnamedSets(file)).filter((folder) => folder !== needed);
  for (const folder of others.slice(KEPT_SETS)) await removeFolder(folder);
}

/** Removes a set that was not put in place. Never fails. */
export async function removeUnlessNamed(file: LiveFile, folder: string): Promise<void> {
  if ((await unnamedSets(file)).includes(folder)) await removeFolder(folder);
}

/** Never fails: a leftover costs only some bytes. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

/** Newest first. Empty if a file that may name them cannot be read. */
async function unnamedSets(file: LiveFile): Promise<readonly string[]> {
  const folders = (await numbersOf(file)).map((number) => folderOf(file, number));
  if (folders.length === 0) return [];
  const named: (string | undefined)[] = [];
  for (const path of [file.path, file.lastGood]) {
    const early = await namedEarlyIn(file, path);
    if (early !== undefined) {
      named.push(early);
      continue;
    }
    const text = await readIfThere(path).catch(() => undefined);
    if (text === undefined && (await isThere(path))) return [];
    named.push(folderNamedIn(file, text));
  }
  return folders.filter((folder) => !named.includes(folder));
}

/** A main file usually names its folder in its first lines, so its megabytes need not be read. Undefined if those do not decide. */
async function namedEarlyIn(file: LiveFile, path: string): Promise<string | undefined> {
  const head = await readHead(path, HEAD_BYTES, { MAX_FOUND_BYTES }).catch(() => undefined);
  const folder = folderNamedIn(file, head);
  // Without the slash its number may be cut.
  return folder !== undefined && head?.includes(`${folder}/`) ? folder : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
