import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import {
  type JournalFile,
  listJournalFiles,
  OPEN_JOURNAL,
  STAMP_LAG_MS,
} from '../../engine/observe/journal/journal-files.ts';
import { type JournalLine, parseJournalLine } from '../../engine/observe/journal/journal-line.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { JournalWords } from './journal-words.ts';
import { rightClock, shownEntry, type TimelineEntry } from './report.ts';

/** The recent entries of some journals, for repeated reading. */
export interface RecentEntries {
  /** In the order of the nodes' clocks. */
  readonly entries: readonly TimelineEntry[];
  /** There were more: the oldest are not among them. */
  readonly isCut: boolean;
  /** What could not be read, each with its path. */
  readonly problems: readonly string[];
}

/** A file as far as it was read: whole lines only, since its writer may be in the middle of one. */
interface Part {
  readonly inode: number;
  readonly bytes: number;
  readonly lines: readonly JournalLine[];
  readonly isCut: boolean;
}

/** A writer's files have half a megabyte. Something else made a larger one. */
const MOST_BYTES = 8 * 1_024 * 1_024;

/**
 * Returns a function that gives the newest `most` entries from `since` (ISO 8601, UTC) on. Asked again it reads only what was
 * written in between, so that asking twice a second costs next to nothing; memory is bounded by `most` a file. Lines
 * that are missing are told by `hawser timeline` alone. Never throws.
 */
export function createRecentEntries(
  directories: readonly string[],
  most: number,
  words: JournalWords,
): (since: string) => RecentEntries {
  let parts: ReadonlyMap<string, Part> = new Map();
  return (since) => {
    const next = new Map<string, Part>();
    const problems: string[] = [];
    for (const { path } of filesOf(directories, problems)) {
      const part = attempt(path, problems, () => readFurther(path, parts.get(path), since, most));
      if (part !== undefined) next.set(path, part);
    }
    parts = next;
    return { ...newest([...next.values()], since, most, words), problems };
  };
}

function filesOf(directories: readonly string[], problems: string[]): readonly JournalFile[] {
  return [...new Set(directories)].flatMap((directory) => {
    const files = attempt(directory, problems, () => listJournalFiles(directory));
    if (files?.length === 0) problems.push(`${directory}: there is no journal`);
    return files ?? [];
  });
}

/** A file that rotation has removed in between is no trouble. */
function attempt<T>(path: string, problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') problems.push(`${path}: ${messageOf(error)}`);
    return undefined;
  }
}

function readFurther(path: string, before: Part | undefined, since: string, most: number): Part | undefined {
  const stats = lstatSync(path);
  if (stats.mtimeMs + STAMP_LAG_MS < Date.parse(since)) return undefined;
  // A FIFO of that name would keep the reader waiting.
  if (!stats.isFile() || stats.size > MOST_BYTES)
    throw new Error('it is no journal: no file, or far too large');
  const isSame = before?.inode === stats.ino && before.bytes <= stats.size;
  const known: Part = isSame ? before : { inode: stats.ino, bytes: 0, lines: [], isCut: false };
  if (known.bytes === stats.size) return known;
  const added = wholeLines(readFrom(path, known.bytes, stats.size));
  const lines = [...known.lines, ...parseNewest(added.lines, since, most)].filter(({ at }) => at >= since);
  return {
    inode: stats.ino,
    bytes: known.bytes + added.bytes,
    lines: lines.slice(-most),
    isCut: isCutIn(known, since) || lines.length > most,
  };
}

/** What was cut off is older than the oldest that is left: once that has passed, so has it. */
function isCutIn({ isCut, lines }: Part, since: string): boolean {
  return isCut && (lines[0]?.at ?? '') >= since;
}

function readFrom(path: string, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from);
  const file = openSync(path, OPEN_JOURNAL);
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from));
  } finally {
    closeSync(file);
  }
}

function wholeLines(buffer: Buffer): { readonly lines: readonly string[]; readonly bytes: number } {
  const bytes = buffer.lastIndexOf(0x0a) + 1;
  return { lines: buffer.subarray(0, bytes).toString('utf8').split('\n').slice(0, -1), bytes };
}

/** From the end and as far as it is wanted, one more than `most` at the utmost: most of a file is older than the last hour. */
function parseNewest(texts: readonly string[], since: string, most: number): readonly JournalLine[] {
  const lines: JournalLine[] = [];
  for (const text of texts.toReversed()) {
    const line = parseJournalLine(text);
    if (line === undefined) continue;
    if (line.at < since || lines.length > most) break;
    lines.push(line);
  }
  return lines.toReversed();
}

function newest(
  parts: readonly Part[],
  since: string,
  most: number,
  words: JournalWords,
): Pick<RecentEntries, 'entries' | 'isCut'> {
  const all = withoutCopies(parts.flatMap(({ lines }) => lines))
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => compareText(a.at, b.at));
  const lines = all.slice(-most);
  return {
    entries: lines.map((line, index) => shownEntry(line, rightClock, words.causesOf(lines, index))),
    isCut: all.length > lines.length || parts.some((part) => isCutIn(part, since)),
  };
}

/** The same journal may be in two of the directories. */
function withoutCopies(lines: readonly JournalLine[]): readonly JournalLine[] {
  const known = new Map(lines.map((line) => [`${line.node}/${line.program}/${line.seq}/${line.at}`, line]));
  return [...known.values()];
}
