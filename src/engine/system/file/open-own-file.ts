import { closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';

const NEVER_ELSEWHERE = constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for writing in place, and creates it if it is missing. A link, FIFO, socket or device at `path` is replaced by a new file, so
 * a link's target is unchanged and nothing waits for a reader. Throws the system's error, also for a directory. The caller closes the file.
 */
export function openOwnFile(path: string, flags: number, mode: number): number {
  try {
    return openRegular(path, flags, mode);
  } catch (error) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isFile() || stats.isDirectory()) throw error;
    unlinkSync(path);
    return openRegular(path, flags, mode);
  }
}

function openRegular(path: string, flags: number, mode: number): number {
  const file = openSync(path, flags | NEVER_ELSEWHERE, mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error('it is not a regular file');
}
