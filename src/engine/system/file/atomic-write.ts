import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces `path` atomically: every reader, and the disk after a power cut, has either the old bytes or all new ones. The new file gets exactly
 * `mode`, whatever the umask. A symbolic link at `path` is replaced, not followed. Throws the system's error if the directory is not writable; then
 * the old file is unchanged and the temporary one removed. The bytes are written next to `path`, or in `stageIn`, another directory of the same file
 * system, if some program reads every file next to `path`.
 */
export async function writeFileAtomically(path: string, data: Data, options: WriteOptions): Promise<void> {
  const directory = dirname(path);
  const staging = options.stageIn ?? directory;
  const temporary = join(staging, `.${basename(path).slice(0, 200)}.${randomBytes(8).toString('hex')}`);
  // Opened before the try: if the name already exists, the file is not ours to remove.
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

/** The target of a temporary file of `writeFileAtomically`; undefined for any other name. Such a file remains if the process is killed. */
export function nameBehind(temporary: string): string | undefined {
  return temporaryForm.exec(temporary)?.[1];
}

/** Parts are written in order, each before the next one is requested. */
type Data = string | Buffer | Iterable<Buffer>;

interface WriteOptions {
  readonly mode: number;
  readonly stageIn?: string;
  /** If false, the disk has the new bytes only after `syncFile`; readers still get all of them at once. */
  readonly isSynced?: boolean;
  /** Modification time in milliseconds of the Unix epoch. Default: now. */
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

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a directory. Ignores a file system that cannot do so (EINVAL), because the rename has already happened. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync().catch(() => undefined);
  } finally {
    await handle.close();
  }
}
