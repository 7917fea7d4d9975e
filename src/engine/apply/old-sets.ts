import { lstat, rm, stat } from 'node:fs/promises';
import { type LiveFile, readIfThere } from './live-file.ts';
import { folderNamedIn, folderOf, numbersOf } from './set-path.ts';

/** Sets that neither the live file nor the last good one names: HAProxy may just be starting with one of them. */
const KEPT_SETS = 3;
/** Younger ones may belong to a process that is still writing. */
const LEFTOVER_AGE_MS = 60_000;

/** Keeps the sets that the live file and the last good one name, and the newest others. Never fails. */
export async function removeOldSets(file: LiveFile): Promise<void> {
  for (const folder of (await unnamedSets(file)).slice(KEPT_SETS)) await removeFolder(folder);
}

/** Removes the sets that no file names and that are at least a minute old: a killed process left them. Never fails. */
export async function removeLeftoverSets(file: LiveFile, nowMs: number): Promise<void> {
  for (const folder of await unnamedSets(file)) {
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && nowMs - found.mtimeMs >= LEFTOVER_AGE_MS) await removeFolder(folder);
  }
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
