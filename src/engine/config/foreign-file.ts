import { statSync } from 'node:fs';
import { ASIDE_SUFFIX, isRendered } from '../render/rendered-mark.ts';
import { writeFileAtomically } from '../system/file/atomic-write.ts';
import { readRegularFileSync } from '../system/file/read-regular-file.ts';
import { MAX_CONFIGURATION_BYTES } from './limits.ts';
import { type LiveFile, readIfThere } from './live-file.ts';

/** A configuration that hawser did not write but replaced, and the path of its copy. */
export interface ForeignFile {
  readonly path: string;
  readonly copy: string;
}

/**
 * Whether hawser rendered the configuration at `path`: the file has hawser's mark or equals the last good copy. An example from a package or a guide
 * is foreign and does not belong to this cluster.
 */
export function isOwnFile(path: string): boolean {
  const bytes = readSmall(path);
  return bytes !== undefined && isOwn(bytes, readSmall(`${path}.last-good`));
}

/** Copies the file to a path next to it if hawser did not write it. Returns undefined if there is no file, or it is hawser's own. */
export async function keepForeignFile(file: LiveFile): Promise<ForeignFile | undefined> {
  const bytes = await readIfThere(file.path);
  if (bytes === undefined || isOwn(bytes, await readIfThere(file.lastGood))) return undefined;
  return { path: file.path, copy: await keepCopy(file.path, bytes) };
}

/** Never overwrites a copy with other content; the new copy gets a number. */
async function keepCopy(path: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = `${path}${ASIDE_SUFFIX}${number === 1 ? '' : `.${number}`}`;
    const existing = await readIfThere(copy);
    if (existing?.equals(bytes) === true) return copy;
    if (existing !== undefined) continue;
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
