import { statSync } from 'node:fs';
import { ASIDE_SUFFIX, isRendered } from '../render/rendered-mark.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import { readRegularFileSync } from '../system/file/read-regular-file.ts';
import { MAX_CONFIGURATION_BYTES } from './limits.ts';
import { type LiveFile, readIfThere } from './live-file.ts';

/** A foreign configuration that hawser replaces, and the path of its copy. */
export interface ForeignFile {
  readonly path: string;
  readonly copy: string;
}

/**
 * Whether hawser rendered the configuration at `path`: it has the mark, or is the last good copy of an earlier version. A package's example or a
 * guide's file is foreign: it does not belong to this cluster.
 */
export function isOwnFile(path: string): boolean {
  const bytes = readSmall(path);
  return bytes !== undefined && isOwn(bytes, readSmall(`${path}.last-good`));
}

/** Saves a copy of the file next to it if hawser did not write it. Undefined if there was nothing to save. */
export async function keepForeignFile(file: LiveFile): Promise<ForeignFile | undefined> {
  const bytes = await readIfThere(file.path);
  if (bytes === undefined || isOwn(bytes, await readIfThere(file.lastGood))) return undefined;
  return { path: file.path, copy: await keepCopy(file.path, bytes) };
}

/** An older copy with other content is never overwritten: the next one gets a number. */
async function keepCopy(path: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = `${path}${ASIDE_SUFFIX}${number === 1 ? '' : `.${number}`}`;
    const found = await readIfThere(copy);
    if (found?.equals(bytes) === true) return copy;
    if (found !== undefined) continue;
    await writeFileAtomically(copy, bytes, { mode: statSync(path).mode & 0o777 });
    return copy;
  }
}

function isOwn(bytes: Buffer, lastGood: Buffer | undefined): boolean {
  return bytes.length === 0 || isRendered(bytes.toString('utf8')) || lastGood?.equals(bytes) === true;
}

function readSmall(path: string): Buffer | undefined {
  try {
    const { bytes } = readRegularFileSync(path, { MAX_CONFIGURATION_BYTES });
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}
