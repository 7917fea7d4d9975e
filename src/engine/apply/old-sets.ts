import { lstat, rm } from 'node:fs/promises';
import { type LiveFile, readIfThere } from './live-file.ts';
import { folderNamedIn, folderOf, numbersOf } from './set-path.ts';

/**
 * Sets that neither the live file nor the last good one names: HAProxy may just be starting with one of them, and another
 * process may be writing the newest.
 */
const KEPT_SETS = 3;

/**
 * Keeps the sets that the live file and the last good one name, the newest others, and `needed`, of the file that may have to come back.
 * Never fails.
 */
export async function removeOldSets(file: LiveFile, needed?: string): Promise<void> {
  const others = (await unnamedSets(file)).filter((folder) => folder !== needed);
  for (const folder of others.slice(KEPT_SETS)) await removeFolder(folder);
}

/** Removes a set that did not come into place. Never fails. */
export async function removeUnlessNamed(file: LiveFile, folder: string): Promise<void> {
  if ((await unnamedSets(file)).includes(folder)) await removeFolder(folder);
}

/** Never fails: a leftover costs some bytes and no more. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

/** Newest first. None where a file that may name them cannot be read. */
async function unnamedSets(file: LiveFile): Promise<readonly string[]> {
  const folders = (await numbersOf(file)).map((number) => folderOf(file, number));
  if (folders.length === 0) return [];
  const named: (string | undefined)[] = [];
  for (const path of [file.path, file.lastGood]) {
    const text = await readIfThere(path).catch(() => undefined);
    if (text === undefined && (await isThere(path))) return [];
    named.push(folderNamedIn(file, text));
  }
  return folders.filter((folder) => !named.includes(folder));
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
