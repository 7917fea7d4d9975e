import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { type NamedLimit, overLimit } from '../limit.ts';

export interface RegularFile {
  readonly bytes: Buffer;
  /** Type and permissions. */
  readonly mode: number;
  /** Time of the last status change (ctime), in milliseconds of the Unix epoch. */
  readonly ctimeMs: number;
}

const NEVER_WAIT = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a regular file, following links unless `extraFlags` disables that. A FIFO, socket or device fails at once: opening or reading one can block a
 * thread forever, and a process with a blocked thread cannot even exit. Throws the system's error, or an error that names the actual type or the
 * exceeded limit. The caller adds the path.
 */
export async function readRegularFile(path: string, limit: NamedLimit, extraFlags = 0): Promise<RegularFile> {
  await using file = await open(path, NEVER_WAIT | extraFlags);
  const { mode, ctimeMs } = mustBeReadable(await file.stat(), limit);
  return { bytes: await file.readFile(), mode, ctimeMs };
}

/** The synchronous version, for early startup and for supervisors. */
export function readRegularFileSync(path: string, limit: NamedLimit): RegularFile {
  const file = openSync(path, NEVER_WAIT);
  try {
    const { mode, ctimeMs } = mustBeReadable(fstatSync(file), limit);
    return { bytes: readFileSync(file), mode, ctimeMs };
  } finally {
    closeSync(file);
  }
}

function mustBeReadable(found: Stats, limit: NamedLimit): Stats {
  if (found.isDirectory()) throw refusal('EISDIR', 'it is a directory');
  if (!found.isFile()) throw refusal('EINVAL', 'it is not a regular file');
  const over = overLimit(found.size, 'bytes', limit);
  if (over !== undefined) throw refusal('EFBIG', `it has ${over}`);
  return found;
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The names in a folder, such as a folder of /proc. Empty if the folder cannot be read. */
export function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The text of a small local file, such as a file of /proc. Empty for a FIFO, or if the file cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch {
    return '';
  }
}
