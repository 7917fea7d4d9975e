import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { codeOf } from '../../system/errors.ts';
import { type JournalFile, journalPath, listJournalFiles, OPEN_JOURNAL, readTail } from './journal-files.ts';
import { type JournalEntry, parseJournalLine } from './journal-line.ts';

export interface JournalLimits {
  /** Size at which a file is rotated. */
  readonly fileBytes: number;
  /** Files kept for one program, including the current one. */
  readonly files: number;
}

export interface JournalWriter {
  /** Appends one line in one write. On a system error, which it throws, the file is unchanged. */
  readonly append: (entry: JournalEntry) => void;
  readonly close: () => void;
}

interface Head {
  readonly fd: number;
  readonly bytes: number;
  readonly seq: number;
}

/** A line has at most about twelve texts of 500 characters. A longer line loses its facts. */
const MAX_LINE_BYTES = 16_384;

/**
 * Opens one program's journal for appending. A partial last line is truncated, and the next line records how much was lost. Never uses more
 * than `files` × `fileBytes` plus one line on disk. Writes are not synced: a power failure may lose the last lines, with or without a trace.
 */
export function openJournalWriter(
  directory: string,
  { program, node }: { readonly program: string; readonly node: string },
  limits: JournalLimits,
): JournalWriter {
  mkdirSync(directory, { recursive: true, mode: 0o750 });
  const found = findEnd(directory, program);
  let head = found.head;

  const write = (entry: JournalEntry): void => {
    if (head.bytes >= limits.fileBytes) rotate();
    // If another program truncated the file or wrote to it, both writers would use the same numbers.
    const { size, nlink } = fstatSync(head.fd);
    if (nlink === 0) throw new Error('another program removed the journal');
    if (size !== head.bytes)
      throw new Error(`another program changed the journal: it has ${size} bytes, expected ${head.bytes}`);
    const bytes = Buffer.from(`${lineOf(entry, head.seq)}\n`);
    writeWhole(head, bytes);
    head = { ...head, bytes: head.bytes + bytes.length, seq: head.seq + 1 };
  };
  const lineOf = (entry: JournalEntry, seq: number): string => {
    const at = new Date().toISOString();
    const line = JSON.stringify({ v: 1, seq, at, node, program, ...entry });
    if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
    return JSON.stringify({ v: 1, seq, at, node, program, kind: entry.kind, event: entry.event });
  };
  const rotate = (): void => {
    const fd = createFile(journalPath(directory, program, head.seq));
    closeSync(head.fd);
    head = { ...head, fd, bytes: 0 };
    const files = ownFiles(directory, program);
    for (const { path } of files.slice(0, -limits.files)) rmSync(path, { force: true });
  };
  try {
    if (found.trouble !== undefined)
      write({ kind: 'journal', event: 'journal-repaired', reason: found.trouble });
  } catch (error) {
    closeSync(head.fd);
    throw error;
  }
  return { append: write, close: () => closeSync(head.fd) };
}

/** Writes all bytes, or restores the file's size: a full disk may accept a part of a line, which the next line must not follow. */
function writeWhole({ fd, bytes: before }: Head, bytes: Buffer): void {
  try {
    const written = writeSync(fd, bytes);
    if (written < bytes.length) throw new Error(`the disk accepted ${written} of ${bytes.length} bytes`);
  } catch (error) {
    ftruncateSync(fd, before);
    throw error;
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND;
const CREATE = OPEN_JOURNAL | APPEND | constants.O_CREAT | constants.O_EXCL;

/** A foreign file under this program's name does not belong to its journal. */
function ownFiles(directory: string, program: string): readonly JournalFile[] {
  return listJournalFiles(directory).filter((file) => file.program === program && isOwn(file.path));
}

function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.uid === process.geteuid?.();
}

/** A foreign file at its path is removed first, never followed. Throws the system error. */
function createFile(path: string): number {
  try {
    return openSync(path, CREATE, 0o644);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || isOwn(path)) throw error;
    rmSync(path);
    return openSync(path, CREATE, 0o644);
  }
}

function findEnd(
  directory: string,
  program: string,
): { readonly head: Head; readonly trouble: string | undefined } {
  const files = ownFiles(directory, program);
  const last = files.at(-1);
  const tail = last === undefined ? undefined : readTail(last.path);
  // The current file may be empty after rotation: then the last line is in the one before.
  const before = files.at(-2);
  const line = tail?.line ?? (before === undefined ? undefined : readTail(before.path).line);
  const half = tail?.halfBytes ?? 0;
  const fd =
    last === undefined
      ? createFile(journalPath(directory, program, 1))
      : openSync(last.path, OPEN_JOURNAL | APPEND);
  if (half > 0) ftruncateSync(fd, tail?.wholeBytes);
  const parsed = line === undefined ? undefined : parseJournalLine(line);
  const counted = (last?.firstSeq ?? 1) + (tail?.lines ?? 0);
  return {
    head: {
      fd,
      bytes: tail?.wholeBytes ?? 0,
      seq: parsed === undefined ? counted : parsed.seq + 1,
    },
    trouble: troubleOf(half, line !== undefined && parsed === undefined),
  };
}

function troubleOf(halfBytes: number, isForeign: boolean): string | undefined {
  if (halfBytes > 0) return `its last line was incomplete: ${halfBytes} bytes were cut off`;
  return isForeign ? 'its last line is not a journal line' : undefined;
}
