import { constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../system/errors.ts';
import { compareText } from '../../system/text/compare-text.ts';

/** Files of one program's journal: `<program>.<seq of the first line>.jsonl`. The last one is written to. */
export interface JournalFile {
  readonly path: string;
  readonly program: string;
  readonly firstSeq: number;
}

/** A program's name may end with an instance name: `router-b`. */
const NAME = /^([a-z][a-z0-9-]{0,40})\.(\d{12})\.jsonl$/;

export function journalPath(directory: string, program: string, firstSeq: number): string {
  return join(directory, `${program}.${String(firstSeq).padStart(12, '0')}.jsonl`);
}

/**
 * Flags for opening a journal, with those for writing added. Unprivileged users can write to the folder (docs/internals/decisions/0026): links
 * are not followed, and a FIFO does not block.
 */
export const OPEN_JOURNAL = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The journal files of a directory, sorted by program and time; empty if the directory is missing. */
export function listJournalFiles(directory: string): readonly JournalFile[] {
  return journalFilesAmong(directory, namesIn(directory));
}

/** The journal files among `names`, in the same order. */
export function journalFilesAmong(directory: string, names: readonly string[]): readonly JournalFile[] {
  const files = names.flatMap((name) => {
    const [, program, digits] = NAME.exec(name) ?? [];
    if (program === undefined) return [];
    return [{ path: join(directory, name), program, firstSeq: Number(digits) }];
  });
  return files.sort((a, b) => compareText(a.program, b.program) || a.firstSeq - b.firstSeq);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The end of a journal file after a crash. */
interface JournalTail {
  /** The last whole line without its newline; undefined without one. */
  readonly line: string | undefined;
  readonly lines: number;
  /** Bytes of whole lines; the rest was being written when its writer died. */
  readonly wholeBytes: number;
  readonly halfBytes: number;
}

/** Reads a file of at most a rotation's size. Counts bytes: a crash may have split a character. */
export function readTail(path: string): JournalTail {
  const bytes = readFileSync(path, { flag: OPEN_JOURNAL });
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const whole = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  return { line: whole.at(-1), lines: whole.length, wholeBytes, halfBytes: bytes.length - wholeBytes };
}
