import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LiveFile } from './live-file.ts';

/** The folder of a main file's sets, next to it. Each set is a numbered folder with the files that the main file names. */
export const setsOf = (file: Pick<LiveFile, 'path'>): string => `${file.path}.sets`;

export const folderOf = (file: Pick<LiveFile, 'path'>, number: number): string =>
  join(setsOf(file), String(number));

/** The folder of the next set, which has no number yet. */
export const spareOf = (file: Pick<LiveFile, 'path'>): string => join(setsOf(file), 'next');

/** The set folder that a main file names. It may be gone. */
export function folderNamedIn(file: Pick<LiveFile, 'path'>, text: Buffer | undefined): string | undefined {
  const start = `${setsOf(file)}/`;
  const at = text?.indexOf(start) ?? -1;
  if (text === undefined || at === -1) return undefined;
  const from = at + Buffer.byteLength(start);
  const number = /^[0-9]{1,15}/.exec(text.toString('latin1', from, from + 15))?.[0];
  return number === undefined ? undefined : folderOf(file, Number(number));
}

/** The set folder of the file at this path. */
export function folderIn(path: string): string | undefined {
  return /^(\/.*\.sets\/\d{1,15})\//.exec(path)?.[1];
}

/** The number of a set's folder. */
export function numberOf(folder: string): number {
  return Number(basename(folder));
}

/** Numbers of the existing sets, newest first. */
export async function numbersOf(file: LiveFile): Promise<readonly number[]> {
  const names = await readdir(setsOf(file)).catch(() => []);
  return names
    .filter((name) => /^[1-9][0-9]{0,14}$/.test(name))
    .map(Number)
    .sort((one, other) => other - one);
}
