import { chmod, link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../system/errors.ts';
import { oncePer } from '../system/once-per.ts';
import { othersOf, type Rendered } from './file-set.ts';

/** Subfolders of the set's folder, parents first. */
const foldersIn = oncePer((rendered: Rendered): readonly string[] => {
  const folders = new Set<string>();
  for (const { name } of othersOf(rendered))
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1))
      folders.add(name.slice(0, at));
  return [...folders];
});

/** Creates the missing subfolders of a set and returns all of them. */
export async function makeFolders(folder: string, rendered: Rendered): Promise<readonly string[]> {
  const folders = foldersIn(rendered).map((name) => join(folder, name));
  for (const each of folders) await makeIfMissing(each, folderMode(rendered.mode));
  return folders;
}

/** False if it existed. Ignores the umask. */
export async function makeIfMissing(folder: string, mode: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode });
    await chmod(folder, mode);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Readers of the main file may enter the folder. */
export function folderMode(mode: number): number {
  return 0o700 | (mode & 0o044) | ((mode & 0o044) >> 2);
}

/** False for a file of another owner, or one with too many links. */
export async function linkIfAllowed(from: string, to: string): Promise<boolean> {
  return await link(from, to).then(
    () => true,
    () => false,
  );
}
