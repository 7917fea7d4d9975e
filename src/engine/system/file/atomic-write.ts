import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces `path` so that every reader, and the disk after a power cut, has either the old bytes or all of the new
 * ones. The new file gets exactly `mode`, whatever the umask. A symbolic link at `path` is replaced, not followed.
 * Throws the system error where the directory cannot be written; the old file is then untouched and the temporary
 * one is gone.
 *
 * The bytes are written beside `path`, or in `stageIn`, a directory of the same file system, where a program reads
 * everything that appears in that of `path`.
 */
export async function writeFileAtomically(path: string, data: Data, options: WriteOptions): Promise<void> {
  const directory = dirname(path);
  const staging = options.stageIn ?? directory;
  const temporary = join(staging, `.${basename(path).slice(0, 200)}.${randomBytes(8).toString('hex')}`);
  // Opened before the try: a name that already exists is not ours to remove.
  const file = await open(temporary, 'wx', options.mode);
  try {
    await fill(file, data, options);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  if (options.isSynced !== false) await syncDirectory(directory);
}

const temporaryForm = /^\.(.+)\.[0-9a-f]{16}$/;

/**
 * The name of the file that a temporary one of `writeFileAtomically` was to replace; undefined for any other name. Where a
 * process was killed the temporary file stays.
 */
export function nameBehind(temporary: string): string | undefined {
  return temporaryForm.exec(temporary)?.[1];
}

/** Parts are written in their order, each before the next one is asked for. */
type Data = string | Buffer | Iterable<Buffer>;

interface WriteOptions {
  readonly mode: number;
  readonly stageIn?: string;
  /** False: readers have all of the new bytes at once, and the disk has once `syncFile` has resolved. */
  readonly isSynced?: boolean;
  /** The time that the file is to have, in milliseconds of the Unix epoch. Left out: now. */
  readonly timeMs?: number | undefined;
}

async function fill(
  file: FileHandle,
  data: Data,
  { mode, isSynced = true, timeMs }: WriteOptions,
): Promise<void> {
  try {
    await file.chmod(mode);
    if (typeof data === 'string' || Buffer.isBuffer(data)) await file.writeFile(data);
    else for (const part of data) await file.writeFile(part);
    if (timeMs !== undefined) await file.utimes(timeMs / 1_000, timeMs / 1_000);
    if (isSynced) await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that was not there before, with exactly `mode`. A link there is not followed. */
export async function writeNewFile(
  path: string,
  data: string | Buffer,
  options: Omit<WriteOptions, 'stageIn'>,
): Promise<void> {
  await fill(await open(path, 'wx', options.mode), data, options);
}

/** What was written there is on the disk once it resolves. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Some file systems cannot sync a directory (EINVAL): the rename has happened, so that is no failure. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}
