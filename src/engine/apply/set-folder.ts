import { chmod, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { syncDirectory, writeNewFile } from '../system/file/atomic-write.ts';
import { modeOf, othersOf, type Rendered, refusal, SET_FOLDER, type SetFile } from './file-set.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { KnownFiles } from './known-files.ts';
import type { LiveFile } from './live-file.ts';
import { removeFolder } from './old-sets.ts';
import { folderNamedIn, folderOf, numbersOf, setsOf } from './set-path.ts';

/** A main file in its final words, and the folder with the files that it names: undefined where it names none. */
export interface StagedSet {
  readonly text: string;
  readonly folder: string | undefined;
}

/**
 * What lies there now, where that is this set in every byte, and its other files have their permissions. Those of the main
 * file do not count: `keepModes` sees to them.
 */
export async function findInPlace(
  file: LiveFile,
  found: Buffer | undefined,
  rendered: Rendered,
  known: KnownFiles,
): Promise<StagedSet | undefined> {
  const folder = othersOf(rendered).length === 0 ? undefined : folderNamedIn(file, found);
  const text = finalText(rendered, folder);
  if (found?.equals(Buffer.from(text)) !== true) return undefined;
  return folder === undefined || (await holdsAll(folder, rendered, known)) ? { text, folder } : undefined;
}

/** Whether the folder has the other files, and nothing else. */
async function holdsAll(folder: string, rendered: Rendered, known: KnownFiles): Promise<boolean> {
  known.keep(othersOf(rendered));
  const others = othersOf(rendered);
  const names = await filesIn(folder);
  let isWhole = names.size === others.length;
  await forEachAtOnce(others, async (each) => {
    if (isWhole && !(await isSame(folder, names, each, rendered.mode, known))) isWhole = false;
  });
  return isWhole;
}

/**
 * Writes the other files into a folder of their own, unless the one in place has just these: whole and on the disk once it resolves, each with its permissions
 * before its first byte. A file that the set in place has too is linked, not written. On an error the folder is gone.
 */
export async function stageSet(
  file: LiveFile,
  found: Buffer | undefined,
  rendered: Rendered,
  known: KnownFiles,
): Promise<StagedSet> {
  if (othersOf(rendered).length === 0) return { text: rendered.text, folder: undefined };
  const before = folderNamedIn(file, found);
  if (before !== undefined && (await holdsAll(before, rendered, known)))
    return { text: finalText(rendered, before), folder: before };
  const folder = await makeSetFolder(file, folderMode(rendered.mode));
  try {
    await fillFolder(folder, before, rendered, known);
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
  return { text: finalText(rendered, folder), folder };
}

function finalText({ text }: Rendered, folder: string | undefined): string {
  return folder === undefined ? text : text.replaceAll(SET_FOLDER, () => folder);
}

async function makeSetFolder(file: LiveFile, mode: number): Promise<string> {
  const sets = setsOf(file);
  await makeIfMissing(sets, mode);
  const found = await lstat(sets);
  if (!found.isDirectory()) throw refusal('EINVAL', `"${sets}" is no folder, expected one`);
  if ((found.mode & 0o777) !== mode) await chmod(sets, mode);
  const [newest = 0] = await numbersOf(file);
  for (let number = newest + 1; ; number += 1) {
    const folder = folderOf(file, number);
    if (await makeIfMissing(folder, mode)) return folder;
  }
}

/** False where it was there. The umask does not count. */
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

/** What may read the main file may enter the folder. */
function folderMode(mode: number): number {
  return 0o700 | (mode & 0o044) | ((mode & 0o044) >> 2);
}

async function fillFolder(
  folder: string,
  before: string | undefined,
  rendered: Rendered,
  known: KnownFiles,
): Promise<void> {
  const { mode } = rendered;
  const names = before === undefined ? new Map<string, boolean>() : await filesIn(before);
  const made = new Set([folder]);
  for (const { name } of othersOf(rendered))
    await makeFolders(dirname(join(folder, name)), made, folderMode(mode));
  await forEachAtOnce(othersOf(rendered), async (each) => {
    const path = join(folder, each.name);
    const isLinked =
      before !== undefined &&
      (await isSame(before, names, each, mode, known)) &&
      (await linkIfAllowed(join(before, each.name), path));
    if (!isLinked) await writeNewFile(path, each.content, modeOf(each, mode));
  });
  for (const each of made) await syncDirectory(each);
  await syncDirectory(dirname(folder));
  await syncDirectory(dirname(dirname(folder)));
}

async function makeFolders(folder: string, made: Set<string>, mode: number): Promise<void> {
  if (made.has(folder)) return;
  await makeFolders(dirname(folder), made, mode);
  await makeIfMissing(folder, mode);
  made.add(folder);
}

/** Not allowed for a file of another owner, or one with too many names. */
async function linkIfAllowed(from: string, to: string): Promise<boolean> {
  return await link(from, to).then(
    () => true,
    () => false,
  );
}

/** Every name below a folder that is no folder, and whether it is a regular file. Symbolic links are not followed. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, boolean>> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return new Map(files.map((each) => [relative(folder, join(each.parentPath, each.name)), each.isFile()]));
}

async function isSame(
  folder: string,
  names: ReadonlyMap<string, boolean>,
  each: SetFile,
  mode: number,
  known: KnownFiles,
): Promise<boolean> {
  if (names.get(each.name) !== true) return false;
  const path = join(folder, each.name);
  const found = await lstat(path);
  if ((found.mode & 0o777) !== modeOf(each, mode)) return false;
  if (found.size !== Buffer.byteLength(each.content)) return false;
  return await known.holds(path, found, each);
}
