import { statSync } from 'node:fs';
import * as z from 'zod/mini';
import type { JournalFile } from '../../engine/observe/journal/journal-files.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { type JournalItem, journalsIn, scanJournal } from '../../engine/observe/journal/read-journal.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import type { Immutable } from '../../engine/system/immutable.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';

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
  { directory, program, files, index }: Found & { readonly index: number },
  { since, until }: Range,
  mostKept: number,
): Pick<Collected, 'moments' | 'earlier' | 'leftOut'> & { readonly reading: JournalReading } {
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
    unread: [],
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
export interface Moment {
  readonly item: JournalItem;
  /** The index of the journal, in the order of reading. */
  readonly journal: number;
  /** The position in the journal. */
  readonly order: number;
  /**
   * The place in time, ISO 8601. Never earlier than the previous item of the journal, so that a journal keeps its order even if the
   * clock was changed. Empty for items before the first line.
   */
  readonly at: string;
  /** By how much the clock was set back before this item; 0 if it was not. */
  readonly clockBackMs: number;
  /** The difference between the item's own time and its place: positive if the clock was ahead, negative if it was behind. */
  readonly clockOffMs: number;
}

type Place = Pick<Moment, 'at' | 'clockBackMs' | 'clockOffMs'>;

/** A clock under time synchronisation goes back by less, which is ignored. */
const CLOCK_BACK_MS = 1_000;

/** Returns a function that returns the own time of each item of one journal. An item that is not a line has the time of the previous line. */
export function createClockReader(): (item: JournalItem) => string {
  let last = '';
  return (item) => {
    if (item.kind === 'line') last = item.line.at;
    return last;
  };
}

/**
 * Returns the place in time of each item of one journal, from the items' own times in the order of the journal. Where the clock went back,
 * either the earlier or the later lines have wrong times. If the clock had jumped forward before, the earlier lines are wrong: they are
 * placed directly before the line at which the clock was corrected. Otherwise the later lines are wrong: they are placed at the time at which
 * the clock went back, until the clock has caught up.
 */
export function placesOf(times: readonly string[]): readonly Place[] {
  const places = [...times];
  const backs = times.map((own, index) => backMs(times[index - 1], own));
  let behindUntil = '';
  for (const [index, own] of times.entries()) {
    const back = backs[index] ?? 0;
    if (back > 0 && !moveAheadLines(places, index, back)) behindUntil = places[index - 1] ?? '';
    if (own < behindUntil) places[index] = behindUntil;
  }
  let latest = '';
  return times.map((own, index) => {
    const place = places[index] ?? own;
    latest = place > latest ? place : latest;
    const off = own === '' ? 0 : Date.parse(own) - Date.parse(latest);
    return {
      at: latest,
      clockBackMs: backs[index] ?? 0,
      clockOffMs: Math.abs(off) > CLOCK_BACK_MS ? off : 0,
    };
  });
}

function backMs(before: string | undefined, own: string): number {
  const back = before === undefined || before === '' ? 0 : Date.parse(before) - Date.parse(own);
  return back > CLOCK_BACK_MS ? back : 0;
}

/** Moves the lines with times ahead of the clock to the line at `index`; returns false if the clock had not jumped forward. */
function moveAheadLines(places: string[], index: number, back: number): boolean {
  const own = places[index] ?? '';
  let first = index;
  while (first > 0 && (places[first - 1] ?? '') > own) first -= 1;
  const before = places[first - 1] ?? '';
  const ahead = places[first] ?? '';
  if (before !== '' && Date.parse(ahead) - Date.parse(before) < back / 2) return false;
  places.fill(own, first, index);
  return true;
}

/** Merges the items of several journals by their places in time. The items of one journal keep their order. */
export function inOrder(moments: readonly Moment[]): readonly Moment[] {
  return moments.toSorted((a, b) => compareText(a.at, b.at) || a.journal - b.journal || a.order - b.order);
}
