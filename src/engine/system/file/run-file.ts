import { messageOf } from '../errors.ts';
import { replaceFile } from './replace-file.ts';

export interface RunFileReport {
  /** Called for the first of a run of failed writes. */
  readonly failed: (message: string) => void;
  /** Called for the first write that succeeds after them. */
  readonly recovered?: () => void;
}

/**
 * Returns a function that replaces a file in one synchronous step: it is there before the caller goes on. Where `key` is the same as at the last successful write, nothing
 * is written; a failed write is repeated at the next call. Never throws.
 */
export function createRunFile(
  path: string,
  mode: number,
  report: RunFileReport,
): (text: string, key?: string) => void {
  let written: string | undefined;
  let failing = false;
  return (text, key = text) => {
    if (key === written) return;
    try {
      replaceFile(path, text, mode);
      written = key;
      if (failing) report.recovered?.();
      failing = false;
    } catch (error) {
      if (!failing) report.failed(messageOf(error));
      failing = true;
    }
  };
}
