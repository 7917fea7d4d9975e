import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';

/**
 * Replaces a file in one synchronous step: every reader has the old bytes or all new ones. Does not sync, so it is for files that are meaningless
 * after a power cut. A symbolic link at `path` or at the staging path is replaced, not followed. Throws the system's error; then the old file is
 * unchanged.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const staged = `${path}.new`;
  rmSync(staged, { force: true });
  try {
    writeFileSync(staged, text, { mode, flag: 'wx' });
    renameSync(staged, path);
  } catch (error) {
    // On a full disk the file is empty, and nothing else would remove it until the next change.
    rmSync(staged, { force: true });
    throw error;
  }
}

interface RunFileReport {
  /** Called at the first of several failed writes. */
  readonly failed: (message: string) => void;
  /** Called at the first successful write after failures. */
  readonly recovered?: () => void;
}

/**
 * Returns a function that replaces a file in one synchronous step. It writes nothing if `key` equals the key of the last successful write and no
 * other program has changed the file since. Returns whether the file has the text. A failed write is retried at the next call. Never throws.
 */
export function createRunFile(
  path: string,
  mode: number,
  report: RunFileReport,
): (text: string, key?: string) => boolean {
  let written: { readonly key: string; readonly mark: string } | undefined;
  let failing = false;
  return (text, key = text) => {
    try {
      const mark = markOf(path);
      if (key === written?.key && mark !== '' && mark === written.mark) return true;
      replaceFile(path, text, mode);
      written = { key, mark: markOf(path) };
      if (failing) report.recovered?.();
      failing = false;
      return true;
    } catch (error) {
      if (!failing) report.failed(messageOf(error));
      failing = true;
      return false;
    }
  };
}

/** Changes with the file's content or mode. Empty if the file is missing. */
function markOf(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (status === undefined) return '';
  // Two changes within one kernel clock tick have the same mtime.
  return [status.ino, status.size, status.mode, status.ctimeNs].join(' ');
}
