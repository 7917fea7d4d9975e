import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { mainParts, type Rendered, sha256Of } from './file-set.ts';
import { isOwnFile } from './foreign-file.ts';
import { type LiveFile, readIfThere } from './live-file.ts';
import { folderNamedIn } from './set-path.ts';

/** What lies in the place of the main file. */
export interface MainFile {
  readonly sha256: string;
  readonly bytes: () => Buffer;
  /** The folder of the set that it names. */
  readonly folder: string | undefined;
  /** hawser rendered it. */
  readonly isOwn: boolean;
  /** Of what it was made, where this process put it there. */
  readonly rendered: Rendered | undefined;
}

/** A set that this process put in place, or found there. */
export interface PlacedSet {
  /** Of its main file. */
  readonly sha256: string;
  readonly folder: string | undefined;
  readonly rendered: Rendered;
  /** As the file system told of the main file. Undefined where an edit might not show. */
  readonly stamp: string | undefined;
}

/**
 * What lies there now. A file that was put there and has not been touched since is not read: it has megabytes, and is looked at before each
 * change. Throws the system's error.
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

/** A known file that lies there again, written anew. */
export function placedOf(main: MainFile | undefined): PlacedSet | undefined {
  if (main?.rendered === undefined) return undefined;
  const { sha256, folder, rendered } = main;
  return { sha256, folder, rendered, stamp: undefined };
}

/** The whole main file, which is seldom needed. */
export function bytesOf(rendered: Rendered, folder: string | undefined): Buffer {
  return Buffer.concat(Array.from(mainParts(rendered, folder), (part) => Buffer.from(part)));
}

/** How far back the time of a file is set that is put in place: an edit within the same tick of the kernel's clock shows by it. */
export const BACK_MS = 1_000;

/** Undefined unless the file has this time: another one may lie there by now. */
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
