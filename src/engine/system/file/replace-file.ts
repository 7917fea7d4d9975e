import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file in one synchronous step: every reader has the old bytes or all of the new ones. Not synced: for files that are meaningless
 * after a power cut. A symbolic link at `path` or at the staging path is replaced, not followed. Throws the system's error; the old file is then
 * untouched.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const staged = `${path}.new`;
  rmSync(staged, { force: true });
  try {
    writeFileSync(staged, text, { mode, flag: 'wx' });
    renameSync(staged, path);
  } catch (error) {
    // On a full disk it is empty, and nothing else would remove it until the file changes again.
    rmSync(staged, { force: true });
    throw error;
  }
}
