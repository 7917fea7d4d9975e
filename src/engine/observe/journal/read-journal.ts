import { lstatSync, readFileSync } from 'node:fs';
import { codeOf, messageOf } from '../../system/errors.ts';
import { type JournalFile, listJournalFiles, OPEN_JOURNAL } from './journal-files.ts';
import { type JournalLine, parseJournalLine } from './journal-line.ts';

/** A place where lines are missing, or something else stands than a line of this journal. */
export interface JournalFault {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

/** What a journal holds, in its order. Missing lines are told before the line that follows them. */
export type JournalItem =
  | { readonly kind: 'line'; readonly line: JournalLine }
  | { readonly kind: 'fault'; readonly fault: JournalFault }
  /** A file that could not be looked into. Its lines do not count as missing. */
  | { readonly kind: 'unread'; readonly path: string; readonly problem: string };

/** A line in its place, whatever it says. */
interface Placed {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Whose file it stands in. */
  readonly owner: string;
  /** Nothing ends it: its writer died, or the file was cut. */
  readonly isHalf: boolean;
}

/** A writer's files have half a megabyte. Something else made a larger one, and it is not taken into memory. */
const MAX_FILE_BYTES = 8 * 1_024 * 1_024;

/** The files of each program's journal, in its order. Throws where the directory cannot be read. */
export function journalsIn(directory: string): ReadonlyMap<string, readonly JournalFile[]> {
  return Map.groupBy(listJournalFiles(directory), ({ program }) => program);
}

/**
 * One journal, with one file of it in memory at a time. Lines that are missing show by the numbers, except at a journal's
 * end and where rotation has removed its oldest files.
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
  const problem = isHalf ? 'it is only half written' : 'it is no line of a journal';
  return { path, line, problem };
}

function faultOf(
  { seq, program }: JournalLine,
  { path, line, owner }: Placed,
  due: number | undefined,
): JournalFault | undefined {
  if (program !== owner) return { path, line, problem: `it is of program "${program}", expected "${owner}"` };
  if (due === undefined || seq === due) return undefined;
  const missing = seq > due ? `, ${seq - due} missing before it` : '';
  return { path, line, problem: `its number is ${seq}, expected ${due}${missing}` };
}

type Content =
  | { readonly kind: 'lines'; readonly lines: readonly Placed[] }
  | { readonly kind: 'unread'; readonly problem: string }
  /** Rotation has removed it since it was listed: it was the oldest one. */
  | { readonly kind: 'gone' };

function linesOf({ path, program }: JournalFile): Content {
  try {
    const stats = lstatSync(path);
    // A FIFO of that name would keep the reader waiting.
    if (!stats.isFile()) return { kind: 'unread', problem: 'it is no file' };
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

/** A line that is being written at this moment is not half written: it is whole at the next look. */
function readSettled(path: string): string {
  const read = () => readFileSync(path, { encoding: 'utf8', flag: OPEN_JOURNAL });
  let text = read();
  for (let seen = -1; !text.endsWith('\n') && text.length !== seen; ) {
    seen = text.length;
    text = read();
  }
  return text;
}
