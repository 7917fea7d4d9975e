import { statSync } from 'node:fs';
import * as z from 'zod/mini';
import type { JournalFile } from '../../engine/observe/journal/journal-files.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { type JournalItem, journalsIn, scanJournal } from '../../engine/observe/journal/read-journal.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { Immutable } from '../../engine/system/immutable.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { createClockReader, type Place, placesOf } from './places.ts';

const end = z.nullable(z.object({ seq: z.int(), at: z.string() }));

export const unreadSchema = z.array(z.object({ path: z.string(), problem: z.string() }));

/** The state of a whole journal, whatever part of it is shown. */
export const journalReadingSchema = z.object({
  directory: z.string(),
  program: z.string(),
  /** The node of the last line. */
  node: z.nullable(z.string()),
  lines: z.int(),
  first: end,
  last: end,
  /** The first twenty faults; `faultCount` counts all. */
  faults: z.array(z.object({ path: z.string(), line: z.int(), problem: z.string() })),
  faultCount: z.int(),
  unread: unreadSchema,
});

export type JournalReading = Immutable<z.infer<typeof journalReadingSchema>>;
type Unread = JournalReading['unread'][number];

export interface Collected {
  readonly journals: readonly JournalReading[];
  /** Unreadable directories. */
  readonly unread: readonly Unread[];
  readonly moments: readonly Moment[];
  /** The last transition of each instance on each node before the range, which is the state at its start. */
  readonly earlier: readonly JournalLine[];
  /** The number of earlier entries that were dropped. */
  readonly leftOut: number;
}

/** ISO 8601, UTC; both ends are included. */
export interface Range {
  readonly since: string;
  readonly until: string;
}

const MAX_FAULTS = 20;
/** Twice as many as a writer keeps. Other users can write to the folder, and could have the timeline read files without end. */
const MAX_FILES = 16;
/** A node has at most four instances. */
const MAX_INSTANCES = 16;

/**
 * Reads the journals completely, and keeps only the newest `mostKept` entries of the range, so that memory is bounded.
 * Reports unreadable directories and files, and reads the others. A journal that is given twice is read once.
 */
export function collectJournals(directories: readonly string[], range: Range, mostKept: number): Collected {
  const unread: Unread[] = [];
  const journals: JournalReading[] = [];
  let moments: readonly Moment[] = [];
  const earlier: JournalLine[] = [];
  let leftOut = 0;
  for (const { directory, program, files } of findJournals(directories, unread)) {
    const read = readJournal({ directory, program, files, index: journals.length }, range, mostKept);
    const merged = withoutCopies(inOrder([...moments, ...read.moments]));
    const dropped = Math.max(0, merged.length - mostKept);
    leftOut += read.leftOut + dropped;
    moments = merged.slice(dropped);
    earlier.push(...read.earlier);
    journals.push(read.reading);
  }
  const byTime = earlier.toSorted((a, b) => compareText(a.at, b.at));
  return { journals, unread, moments, earlier: byTime, leftOut };
}

interface Found {
  readonly directory: string;
  readonly program: string;
  readonly files: readonly JournalFile[];
}

function findJournals(directories: readonly string[], unread: Unread[]): readonly Found[] {
  const seen = new Set<string>();
  return directories.flatMap((directory) => {
    try {
      // Compares inodes, because a directory behind /proc/PID/root has another path here, or none.
      const { dev, ino } = statSync(directory, { bigint: true });
      if (seen.has(`${dev}:${ino}`)) return [];
      seen.add(`${dev}:${ino}`);
      const found = [...journalsIn(directory)].map(([program, files]) => ({ directory, program, files }));
      if (found.length === 0) unread.push({ path: directory, problem: 'it contains no journal' });
      return found;
    } catch (error) {
      unread.push({ path: directory, problem: problemOf(error) });
      return [];
    }
  });
}

function problemOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such directory';
    case 'ENOTDIR':
      return 'it is no directory';
    case 'EACCES':
      return 'it cannot be read, expected root';
    default:
      return messageOf(error);
  }
}

function readJournal(
  { directory, program, files: all, index }: Found & { readonly index: number },
  { since, until }: Range,
  mostKept: number,
): Pick<Collected, 'moments' | 'earlier' | 'leftOut'> & { readonly reading: JournalReading } {
  const files = all.slice(-MAX_FILES);
  const ignored = all.slice(0, -MAX_FILES);
  const timeOf = createClockReader();
  // Reads the journal twice: a line's place can depend on a later correction of the clock, and a journal may be too long to keep.
  const places = placesOf(Array.from(scanJournal(files), timeOf));
  const timeAgain = createClockReader();
  let order = 0;
  let reading: JournalReading = {
    directory,
    program,
    node: null,
    lines: 0,
    first: null,
    last: null,
    faults: [],
    faultCount: 0,
    unread: ignored.map(({ path }) => ({ path, problem: `not among the newest ${MAX_FILES} files` })),
  };
  let kept: Moment[] = [];
  let leftOut = 0;
  const earlier = new Map<string, JournalLine>();
  for (const item of scanJournal(files)) {
    // A line that was written between the two scans has no place yet.
    const time = timeAgain(item);
    const place = places[order] ?? { at: time, clockBackMs: 0, clockOffMs: 0 };
    order += 1;
    const moment = { item, journal: index, order, ...place };
    reading = withItem(reading, item);
    const own = item.kind === 'line' ? item.line.at : moment.at;
    // Both the entry's own time and its place count, so that nothing is lost if the clock was wrong for a while.
    const isInRange = [moment.at, own].some((at) => at >= since && at <= until);
    if (isInRange) kept.push(moment);
    else if (item.kind === 'line' && own < since) rememberTransition(earlier, item.line);
    if (kept.length >= 2 * mostKept) {
      leftOut += kept.length - mostKept;
      kept = kept.slice(-mostKept);
    }
  }
  return { reading, moments: kept, earlier: [...earlier.values()], leftOut };
}

function rememberTransition(earlier: Map<string, JournalLine>, line: JournalLine): void {
  if (line.event !== 'vrrp-transition' || line.subject === undefined) return;
  if (earlier.has(line.subject) || earlier.size < MAX_INSTANCES) earlier.set(line.subject, line);
}

function withItem(reading: JournalReading, item: JournalItem): JournalReading {
  switch (item.kind) {
    case 'line': {
      const { seq, at, node } = item.line;
      return {
        ...reading,
        node,
        lines: reading.lines + 1,
        first: reading.first ?? { seq, at },
        last: { seq, at },
      };
    }
    case 'fault': {
      const faults = reading.faults.length < MAX_FAULTS ? [...reading.faults, item.fault] : reading.faults;
      return { ...reading, faults, faultCount: reading.faultCount + 1 };
    }
    case 'unread': {
      const { path, problem } = item;
      return { ...reading, unread: [...reading.unread, { path, problem }] };
    }
  }
}

function withoutCopies(moments: readonly Moment[]): readonly Moment[] {
  const seen = new Set<string>();
  return moments.filter(({ item }) => {
    if (item.kind !== 'line') return true;
    const { node, program, seq, at } = item.line;
    const key = `${node}/${program}/${seq}/${at}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** An item of a journal with its place in time. */
export interface Moment extends Place {
  readonly item: JournalItem;
  /** The index of the journal, in the order of reading. */
  readonly journal: number;
  /** The position in the journal. */
  readonly order: number;
}

/** Merges the items of several journals by their places in time. The items of one journal keep their order. */
export function inOrder(moments: readonly Moment[]): readonly Moment[] {
  return moments.toSorted((a, b) => compareText(a.at, b.at) || a.journal - b.journal || a.order - b.order);
}
