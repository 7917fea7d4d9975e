import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../engine/system/errors.ts';
import { withoutSecrets } from '../engine/system/text/without-secrets.ts';

/** Of one file: a journal's has half a megabyte, a container's log ten of them at most before the kubelet rotates it. */
const MOST_FILE_BYTES = 8 * 1_024 * 1_024;
/** Of all files together, of which any may be there. */
const MOST_BYTES = 128 * 1_024 * 1_024;

/** Text that goes into a bundle: always without secrets, and no more than a bundle may hold. */
export interface BundleCopy {
  /** `text` as a file of the bundle. */
  readonly write: (text: string, to: string) => void;
  /** A copy of a file. Undefined, or what is missing of it. */
  readonly file: (from: string, to: string, kind: FileKind) => string | undefined;
  /** Of a folder in which users without rights can write: a link there would bring in another file. Returns what is missing. */
  readonly folder: (from: string, to: string) => readonly string[];
}

/**
 * Of a configuration a part could begin within a secret: it is copied whole or not at all. Of the others there is the end, from a
 * whole line on. Journals lie where users without rights can write, and links are followed elsewhere only.
 */
type FileKind = 'configuration' | 'log' | 'journal';

export function createBundleCopy(limits = { file: MOST_FILE_BYTES, all: MOST_BYTES }): BundleCopy {
  let left = limits.all;
  const write: BundleCopy['write'] = (text, to) => {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, withoutSecrets(text));
  };
  const file: BundleCopy['file'] = (from, to, kind) => {
    const most = Math.min(limits.file, left);
    if (most === 0) return `${from}: it is left out, the bundle has ${limits.all} bytes of files`;
    const { bytes, size } = readEnd(from, most, kind === 'journal' ? constants.O_NOFOLLOW : 0);
    left -= bytes.length;
    const isCut = size > bytes.length;
    if (isCut && kind === 'configuration') return `${from}: it is left out, it has ${size} bytes`;
    write(bytes.toString('utf8', isCut ? bytes.indexOf(0x0a) + 1 : 0), to);
    return isCut ? `${from}: only the last ${bytes.length} of its ${size} bytes are here` : undefined;
  };
  // Level by level: Node's own recursion follows links.
  const folder: BundleCopy['folder'] = (from, to) =>
    readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
      const [path, target] = [join(from, entry.name), join(to, entry.name)];
      try {
        if (entry.isDirectory()) return folder(path, target);
        return (entry.isFile() ? file(path, target, 'journal') : undefined) ?? [];
      } catch (error) {
        return [`${path}: ${messageOf(error)}`];
      }
    });
  return { write, file, folder };
}

/** Never waits for a FIFO. */
function readEnd(
  path: string,
  most: number,
  flags: number,
): { readonly bytes: Buffer; readonly size: number } {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('it is not a regular file');
    const buffer = Buffer.alloc(Math.min(found.size, most));
    const read = readSync(file, buffer, 0, buffer.length, found.size - buffer.length);
    return { bytes: buffer.subarray(0, read), size: found.size };
  } finally {
    closeSync(file);
  }
}
