import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { syncDirectory, syncFile, writeNewFile } from '../system/file/atomic-write.ts';
import {
  filesOf,
  hasFiles,
  isSameFile,
  isSameText,
  mainParts,
  modeOf,
  othersOf,
  type Rendered,
  refusal,
  type SetFile,
} from './file-set.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import type { KnownFiles } from './known-files.ts';
import type { LiveFile } from './live-file.ts';
import { bytesOf, type MainFile } from './main-file.ts';
import { folderMode, linkIfAllowed, makeFolders, makeIfMissing } from './make-folders.ts';
import { removeFolder } from './old-sets.ts';
import { folderOf, numberOf, numbersOf, setsOf } from './set-path.ts';
import type { SpareSet } from './spare-set.ts';

/** The final main file, and the folder of the files it names; undefined if it names none. */
export interface StagedSet {
  readonly parts: () => Iterable<Buffer>;
  readonly folder: string | undefined;
  /** A file of the set in place was edited by hand. */
  readonly isEdited?: boolean;
  /** Resolves once the other files are synced to disk. */
  readonly sync: () => Promise<void>;
}

/** Whether the set in place is known and differs. Reads nothing from disk. */
export function isKnownOther({ rendered: before }: Pick<MainFile, 'rendered'>, rendered: Rendered): boolean {
  return before !== undefined && !(isSameText(before, rendered) && hasFiles(before, rendered));
}

/**
 * Whether the set in place equals this one in every byte, and its other files have their permissions (`keepModes` handles the main file's). Call
 * it only if `isKnownOther` is false. The other files of a known set are not read if they were verified recently (`isFresh`).
 */
export async function isInPlace(
  main: MainFile,
  rendered: Rendered,
  known: KnownFiles,
  isFresh: boolean,
): Promise<boolean> {
  const folder = othersOf(rendered).length === 0 ? undefined : main.folder;
  const isKnown =
    main.rendered !== undefined && main.folder === folder && isSameText(main.rendered, rendered);
  if (!isKnown && !main.bytes().equals(bytesOf(rendered, folder))) return false;
  return folder === undefined || (isKnown && isFresh) || (await holdsAll(folder, rendered, known));
}

/** Whether the folder holds exactly the other files. */
export async function holdsAll(folder: string, rendered: Rendered, known: KnownFiles): Promise<boolean> {
  return (await inspect(folder, rendered, known)) === 'whole';
}

/** `edited`: HAProxy may have read other content there. */
async function inspect(
  folder: string,
  rendered: Rendered,
  known: KnownFiles,
): Promise<'whole' | 'incomplete' | 'edited'> {
  known.keep(othersOf(rendered));
  const others = othersOf(rendered);
  const names = await filesIn(folder);
  let [isWhole, isEdited] = [names.size === others.length, false];
  await forEachAtOnce(others, async (each) => {
    if (isEdited) return;
    const found = await stateOf(folder, names, each, rendered.mode, known);
    if (found !== 'same') isWhole = false;
    if (found === 'edited') isEdited = true;
  });
  if (isEdited) return 'edited';
  return isWhole ? 'whole' : 'incomplete';
}

/** What is known about the files in place. */
export interface KnownSet {
  readonly known: KnownFiles;
  readonly spare: SpareSet;
  /** The files of the set in place are as this process wrote them: none is read, and the cost is that of the difference. */
  readonly isTrusted: boolean;
}

/**
 * Writes the other files into a new folder, unless the current one holds exactly these. Complete when it resolves; each file gets its permissions
 * before its first byte. Files shared with the set in place are hard-linked. On an error the folder is removed.
 */
export async function stageSet(
  file: LiveFile,
  main: MainFile | undefined,
  rendered: Rendered,
  { known, spare, isTrusted }: KnownSet,
): Promise<StagedSet> {
  const nothing = async (): Promise<void> => undefined;
  if (othersOf(rendered).length === 0)
    return { parts: () => mainParts(rendered, undefined), folder: undefined, sync: nothing };
  const { mode } = rendered;
  const before = main?.folder;
  const left = isTrusted ? main?.rendered : undefined;
  const isLeft = left !== undefined && hasFiles(left, rendered);
  const found =
    before === undefined || left !== undefined ? undefined : await inspect(before, rendered, known);
  if (before !== undefined && (isLeft || found === 'whole'))
    return { parts: () => mainParts(rendered, before), folder: before, sync: nothing };
  const folder = await makeSetFolder(file, before, folderMode(mode));
  try {
    const ahead = isTrusted ? await spare.take(folder, mode) : new Map<string, SetFile>();
    const isSame = left === undefined ? await inspected(before, mode, known) : leftIn(left, mode);
    const sync = await fillFolder(folder, before, rendered, { ahead, isSame });
    return { parts: () => mainParts(rendered, folder), folder, isEdited: found === 'edited', sync };
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

type IsSame = (file: SetFile) => Promise<boolean>;

async function inspected(folder: string | undefined, mode: number, known: KnownFiles): Promise<IsSame> {
  if (folder === undefined) return async () => false;
  const names = await filesIn(folder);
  return async (each) => (await stateOf(folder, names, each, mode, known)) === 'same';
}

function leftIn(left: Rendered, mode: number): IsSame {
  return async (each) => left.mode === mode && isSameFile(filesOf(left).get(each.name), each);
}

/** Numbered above the set in place even if that was removed by hand: otherwise one main file could mean two sets. */
async function makeSetFolder(file: LiveFile, before: string | undefined, mode: number): Promise<string> {
  const sets = setsOf(file);
  await makeIfMissing(sets, mode);
  const found = await lstat(sets);
  if (!found.isDirectory()) throw refusal('EINVAL', `"${sets}" is not a directory`);
  if ((found.mode & 0o777) !== mode) await chmod(sets, mode);
  const [newest = 0] = await numbersOf(file);
  const highest = Math.max(newest, before === undefined ? 0 : numberOf(before));
  for (let number = highest + 1; ; number += 1) {
    const folder = folderOf(file, number);
    if (await makeIfMissing(folder, mode)) return folder;
  }
}

interface Filling {
  /** Files already in the folder. */
  readonly ahead: ReadonlyMap<string, SetFile>;
  /** Whether a file is unchanged from the previous set. */
  readonly isSame: IsSame;
}

/** Returns a function that syncs it to disk. */
async function fillFolder(
  folder: string,
  before: string | undefined,
  rendered: Rendered,
  { ahead, isSame }: Filling,
): Promise<StagedSet['sync']> {
  const { mode } = rendered;
  const folders = await makeFolders(folder, rendered);
  const [files, written] = [filesOf(rendered), [] as string[]];
  const isThere = (each: SetFile): boolean => ahead.has(each.name) && isSameFile(ahead.get(each.name), each);
  for (const name of ahead.keys()) if (!files.has(name)) await rm(join(folder, name), { force: true });
  const missing = othersOf(rendered).filter((each) => !isThere(each));
  await forEachAtOnce(missing, async (each) => {
    const path = join(folder, each.name);
    if (ahead.has(each.name)) await rm(path, { force: true, recursive: true });
    const isLinked =
      before !== undefined && (await isSame(each)) && (await linkIfAllowed(join(before, each.name), path));
    if (isLinked) return;
    await writeInstead(path, each, mode);
    written.push(path);
  });
  return () => syncAll(folder, folders, written);
}

async function syncAll(folder: string, folders: Iterable<string>, files: readonly string[]): Promise<void> {
  await forEachAtOnce(files, syncFile);
  for (const each of [...folders, folder, dirname(folder), dirname(dirname(folder))])
    await syncDirectory(each);
}

/** Syncs a set of another process, which may have died before it did. Never fails: validation reports any damage. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const paths = [...(await filesIn(folder)).keys()].map((name) => join(folder, name));
    await syncAll(folder, new Set(paths.map(dirname)), paths);
  } catch {
    // It is gone, or belongs to another user.
  }
}

/** A spare folder may contain foreign files. */
async function writeInstead(path: string, file: SetFile, mode: number): Promise<void> {
  const write = () => writeNewFile(path, file.content, { mode: modeOf(file, mode), isSynced: false });
  await write().catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    await rm(path, { recursive: true });
    await write();
  });
}

/**
 * Every non-directory below a folder, and whether it is a regular file. Symbolic links are not followed. A folder that is missing or unreadable
 * for this user is empty: another one is made next to it.
 */
async function filesIn(folder: string): Promise<ReadonlyMap<string, boolean>> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) !== 'EACCES') throw error;
    return [];
  });
  const files = entries.filter((entry) => !entry.isDirectory());
  return new Map(files.map((each) => [relative(folder, join(each.parentPath, each.name)), each.isFile()]));
}

async function stateOf(
  folder: string,
  names: ReadonlyMap<string, boolean>,
  each: SetFile,
  mode: number,
  known: KnownFiles,
): Promise<'same' | 'missing' | 'edited' | 'other-mode'> {
  const isRegular = names.get(each.name);
  if (isRegular !== true) return isRegular === undefined ? 'missing' : 'edited';
  const path = join(folder, each.name);
  const found = await lstat(path);
  if (found.size !== Buffer.byteLength(each.content)) return 'edited';
  if (!(await known.holds(path, found, each))) return 'edited';
  return (found.mode & 0o777) === modeOf(each, mode) ? 'same' : 'other-mode';
}
