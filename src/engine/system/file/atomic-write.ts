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
export async function writeFileAtomically(
  path: string,
  data: string | Buffer,
  options: { readonly mode: number; readonly stageIn?: string },
): Promise<void> {
  const directory = dirname(path);
  const staging = options.stageIn ?? directory;
  const temporary = join(staging, `.${basename(path).slice(0, 200)}.${randomBytes(8).toString('hex')}`);
  // Opened before the try: a name that already exists is not ours to remove.
  const file = await open(temporary, 'wx', options.mode);
  try {
    await fill(file, data, options.mode);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncDirectory(directory);
}

async function fill(file: FileHandle, data: string | Buffer, mode: number): Promise<void> {
  try {
    await file.chmod(mode);
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that was not there before, with exactly `mode`, on the disk once it resolves. A link there is not followed. */
export async function writeNewFile(path: string, data: string | Buffer, mode: number): Promise<void> {
  await fill(await open(path, 'wx', mode), data, mode);
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
