import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { mainParts, type Rendered, sha256Of } from './file-set.ts';
import { isOwnFile } from './foreign-file.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import { folderNamedIn } from './set-path.ts';

/** The main file on disk. */
export interface MainFile {
  readonly sha256: string;
  readonly bytes: () => Buffer;
  /** The folder of the set that it names. */
  readonly folder: string | undefined;
  /** hawser rendered it. */
  readonly isOwn: boolean;
  /** What it was made from; undefined if another process wrote it. */
  readonly rendered: Rendered | undefined;
}

/** A set that this process put in place, or found there. */
export interface PlacedSet {
  /** Of its main file. */
  readonly sha256: string;
  readonly folder: string | undefined;
  readonly rendered: Rendered;
  /** The main file's stat fields. Undefined if an edit might go unnoticed. */
  readonly stamp: string | undefined;
}

/**
 * Reads the main file. If it is unchanged since this process wrote it, only stat() is called: it has megabytes, and this runs before each change.
 * Throws the system's error.
 */
export async function readMainFile(
  file: LiveFile,
  placed: PlacedSet | undefined,
): Promise<MainFile | undefined> {
  if (placed?.stamp !== undefined && placed.stamp === stampOf(await statsOf(file.path))) {
    const { sha256, folder, rendered } = placed;
    return { sha256, folder, rendered, isOwn: true, bytes: () => bytesOf(rendered, folder) };
  }
  const found = await readIfThere(file.path);
  if (found === undefined) return undefined;
  const sha256 = sha256Of(found);
  return {
    ...{ sha256, folder: folderNamedIn(file, found), isOwn: isOwnFile(file.path), bytes: () => found },
    rendered: placed?.sha256 === sha256 ? placed.rendered : undefined,
  };
}

/** A known file that was restored by writing it again. */
export function placedOf(main: MainFile | undefined): PlacedSet | undefined {
  if (main?.rendered === undefined) return undefined;
  const { sha256, folder, rendered } = main;
  return { sha256, folder, rendered, stamp: undefined };
}

/** The whole main file, which is seldom needed. */
export function bytesOf(rendered: Rendered, folder: string | undefined): Buffer {
  return Buffer.concat(Array.from(mainParts(rendered, folder), (part) => Buffer.from(part)));
}

/** Backdates the mtime of written files, so that an edit within the same kernel clock tick changes it. */
export const BACK_MS = 1_000;

/** Undefined unless the file has this mtime: it may have been replaced already. */
export async function stampAt(path: string, timeMs: number): Promise<string | undefined> {
  const found = await statsOf(path);
  return found !== undefined && Math.abs(Number(found.mtimeNs) / 1e6 - timeMs) < 1
    ? stampOf(found)
    : undefined;
}

async function statsOf(path: string): Promise<BigIntStats | undefined> {
  return await stat(path, { bigint: true }).catch(() => undefined);
}

function stampOf(found: BigIntStats | undefined): string | undefined {
  return found && `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}
