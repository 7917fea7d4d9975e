import { lstatSync, readFileSync } from 'node:fs';
import { codeOf, messageOf } from '../../system/errors.ts';
import { type JournalFile, listJournalFiles, OPEN_JOURNAL } from './journal-files.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';

/** A place with missing lines or a line that is not part of this journal. */
export interface JournalFault {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

/** The content of a journal in order. A fault about missing lines precedes the line that follows them. */
export type JournalItem =
  | { readonly kind: 'line'; readonly line: JournalLine }
  | { readonly kind: 'fault'; readonly fault: JournalFault }
  /** A file that could not be read. Its lines do not count as missing. */
  | { readonly kind: 'unread'; readonly path: string; readonly problem: string };

/** A raw line and its position. */
interface Placed {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** The program whose file it is in. */
  readonly owner: string;
  /** Not terminated: its writer died, or the file was truncated. */
  readonly isHalf: boolean;
}

/** A writer's files have half a megabyte. A larger one is foreign and not read into memory. */
const MAX_FILE_BYTES = 8 * 1_024 * 1_024;

/** The files of each program's journal in order. Throws if the directory cannot be read. */
export function journalsIn(directory: string): ReadonlyMap<string, readonly JournalFile[]> {
  return Map.groupBy(listJournalFiles(directory), ({ program }) => program);
}

/**
 * Reads one journal, one file in memory at a time. Missing lines show by their numbers, except at the end of a journal and where rotation removed
 * the oldest files.
 */
export function* scanJournal(files: readonly JournalFile[]): Generator<JournalItem> {
  let due = files[0]?.firstSeq;
  for (const file of files) {
    const content = linesOf(file);
    if (content.kind !== 'lines') {
      if (content.kind === 'unread') yield { ...content, path: file.path };
      due = undefined;
      continue;
    }
    for (const placed of content.lines) {
      const parsed = placed.isHalf ? undefined : parseJournalLine(placed.text);
      const fault = parsed === undefined ? foreign(placed) : faultOf(parsed, placed, due);
      if (fault !== undefined) yield { kind: 'fault', fault };
      if (parsed !== undefined) yield { kind: 'line', line: parsed };
      due = parsed === undefined ? due && due + 1 : parsed.seq + 1;
    }
  }
}

function foreign({ path, line, isHalf }: Placed): JournalFault {
  const problem = isHalf ? 'incomplete line' : 'not a journal line';
  return { path, line, problem };
}

function faultOf(
  { seq, program }: JournalLine,
  { path, line, owner }: Placed,
  due: number | undefined,
): JournalFault | undefined {
  if (program !== owner)
    return { path, line, problem: `written by program "${program}", expected "${owner}"` };
  if (due === undefined || seq === due) return undefined;
  const missing = seq > due ? `, ${seq - due} missing before it` : '';
  return { path, line, problem: `entry ${seq}, expected ${due}${missing}` };
}

type Content =
  | { readonly kind: 'lines'; readonly lines: readonly Placed[] }
  | { readonly kind: 'unread'; readonly problem: string }
  /** Removed by rotation since it was listed: it was the oldest one. */
  | { readonly kind: 'gone' };

function linesOf({ path, program }: JournalFile): Content {
  try {
    const stats = lstatSync(path);
    // A FIFO of that name would block the reader.
    if (!stats.isFile()) return { kind: 'unread', problem: 'not a regular file' };
    if (stats.size > MAX_FILE_BYTES)
      return { kind: 'unread', problem: `it has ${stats.size} bytes, expected at most ${MAX_FILE_BYTES}` };
    return { kind: 'lines', lines: placed(path, program, readSettled(path)) };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'gone' } : { kind: 'unread', problem: messageOf(error) };
  }
}

function placed(path: string, owner: string, content: string): readonly Placed[] {
  const texts = content.split('\n');
  const whole = texts.length - 1;
  const kept = texts.at(-1) === '' ? texts.slice(0, -1) : texts;
  return kept.map((text, index) => ({ path, line: index + 1, text, owner, isHalf: index === whole }));
}

/** A line that is being written right now is not reported as incomplete: the next read has all of it. */
function readSettled(path: string): string {
  const read = () => readFileSync(path, { encoding: 'utf8', flag: OPEN_JOURNAL });
  let text = read();
  for (let seen = -1; !text.endsWith('\n') && text.length !== seen; ) {
    seen = text.length;
    text = read();
  }
  return text;
}
