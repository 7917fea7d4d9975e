import { chmod, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { syncDirectory, syncFile, writeNewFile } from '../system/file/atomic-write.ts';
import { oncePer } from '../system/once-per.ts';
import {
  isSameText,
  mainParts,
  modeOf,
  othersOf,
  type Rendered,
  refusal,
  type SetFile,
  sha256OfFile,
} from './file-set.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { KnownFiles } from './known-files.ts';
import type { LiveFile } from './live-file.ts';
import { bytesOf, type MainFile } from './main-file.ts';
import { removeFolder } from './old-sets.ts';
import { folderOf, numbersOf, setsOf } from './set-path.ts';

/** A main file in its final words, and the folder with the files that it names: undefined where it names none. */
export interface StagedSet {
  readonly parts: () => Iterable<Buffer>;
  readonly folder: string | undefined;
  /** The other files are on the disk once it resolves. */
  readonly sync: () => Promise<void>;
}

/** Whether the set in place is known, and another one: nothing has to be looked at for that. */
export function isKnownOther({ rendered: before }: MainFile, rendered: Rendered): boolean {
  return before !== undefined && !(isSameText(before, rendered) && hasFiles(before, rendered));
}

/** Whether what lies there now is this set in every byte, and its other files have their permissions. `keepModes` sees to those of the main file. */
export async function isInPlace(main: MainFile, rendered: Rendered, known: KnownFiles): Promise<boolean> {
  const folder = othersOf(rendered).length === 0 ? undefined : main.folder;
  const isKnown =
    main.rendered !== undefined && main.folder === folder && isSameText(main.rendered, rendered);
  if (!isKnown && !main.bytes().equals(bytesOf(rendered, folder))) return false;
  return folder === undefined || (await holdsAll(folder, rendered, known));
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
 * Writes the other files into a folder of their own, unless the one in place has just these: whole once it resolves, each with its permissions
 * before its first byte. A file that the set in place has too is linked, not written. On an error the folder is gone.
 *
 * Each file of the set in place is looked at, unless `isTrusted`: then it is as this process left it, and what differs costs as much as it is.
 */
export async function stageSet(
  file: LiveFile,
  main: MainFile | undefined,
  rendered: Rendered,
  known: KnownFiles,
  isTrusted: boolean,
): Promise<StagedSet> {
  const nothing = async (): Promise<void> => undefined;
  if (othersOf(rendered).length === 0)
    return { parts: () => mainParts(rendered, undefined), folder: undefined, sync: nothing };
  const before = main?.folder;
  const left = isTrusted ? main?.rendered : undefined;
  if (before !== undefined && (left ? hasFiles(left, rendered) : await holdsAll(before, rendered, known)))
    return { parts: () => mainParts(rendered, before), folder: before, sync: nothing };
  const folder = await makeSetFolder(file, folderMode(rendered.mode));
  try {
    const isSame = left === undefined ? lookedAt(before, rendered.mode, known) : leftIn(left, rendered.mode);
    const sync = await fillFolder(folder, before, rendered, await isSame);
    return { parts: () => mainParts(rendered, folder), folder, sync };
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

const filesOf = oncePer(
  (rendered: Rendered): ReadonlyMap<string, SetFile> =>
    new Map(othersOf(rendered).map((file) => [file.name, file])),
);

function isSameFile(left: SetFile | undefined, file: SetFile): boolean {
  if (left === undefined || (left.secret === true) !== (file.secret === true)) return false;
  return left.content === file.content || sha256OfFile(left) === sha256OfFile(file);
}

function hasFiles(left: Rendered, rendered: Rendered): boolean {
  const [had, wanted] = [othersOf(left), othersOf(rendered)];
  const isSame = (each: SetFile, index: number): boolean =>
    had[index]?.name === each.name && isSameFile(had[index], each);
  const isSameMode = wanted.length === 0 || left.mode === rendered.mode;
  return isSameMode && had.length === wanted.length && wanted.every(isSame);
}

type IsSame = (file: SetFile) => Promise<boolean>;

async function lookedAt(folder: string | undefined, mode: number, known: KnownFiles): Promise<IsSame> {
  if (folder === undefined) return async () => false;
  const names = await filesIn(folder);
  return async (each) => await isSame(folder, names, each, mode, known);
}

async function leftIn(left: Rendered, mode: number): Promise<IsSame> {
  return async (each) => left.mode === mode && isSameFile(filesOf(left).get(each.name), each);
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

/** Answers what brings it to the disk. */
async function fillFolder(
  folder: string,
  before: string | undefined,
  rendered: Rendered,
  isSame: IsSame,
): Promise<StagedSet['sync']> {
  const { mode } = rendered;
  const made = new Set([folder]);
  const written: string[] = [];
  for (const { name } of othersOf(rendered))
    await makeFolders(dirname(join(folder, name)), made, folderMode(mode));
  await forEachAtOnce(othersOf(rendered), async (each) => {
    const path = join(folder, each.name);
    const isLinked =
      before !== undefined && (await isSame(each)) && (await linkIfAllowed(join(before, each.name), path));
    if (isLinked) return;
    await writeNewFile(path, each.content, { mode: modeOf(each, mode), isSynced: false });
    written.push(path);
  });
  return async () => {
    await forEachAtOnce(written, syncFile);
    for (const each of [...made, dirname(folder), dirname(dirname(folder))]) await syncDirectory(each);
  };
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
