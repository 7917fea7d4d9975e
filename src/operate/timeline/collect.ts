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

/** What can be said of one journal, whatever part of it is shown. */
export const journalReadingSchema = z.object({
  directory: z.string(),
  program: z.string(),
  /** The node of its last line. */
  node: z.nullable(z.string()),
  lines: z.int(),
  first: end,
  last: end,
  /** The first twenty; `faultCount` counts all. */
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
  /** Of each instance on each node its last transition before the range: what the range begins with. */
  readonly earlier: readonly JournalLine[];
  /** How many earlier ones were not kept. */
  readonly leftOut: number;
}

/** ISO 8601, UTC, both included. */
export interface Range {
  readonly since: string;
  readonly until: string;
}

const MOST_FAULTS = 20;
/** A node has four instances at most. */
const MOST_INSTANCES = 16;

/**
 * Reads whole journals and keeps the newest `mostKept` entries of the range, so that memory is bounded.
 * An unreadable directory or file is reported, and the others are read. A journal that is given twice is shown once.
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
    journals.push(read.look);
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
      // Not by its path: what /proc/PID/root leads to has another name here, or none.
      const { dev, ino } = statSync(directory, { bigint: true });
      if (seen.has(`${dev}:${ino}`)) return [];
      seen.add(`${dev}:${ino}`);
      const found = [...journalsIn(directory)].map(([program, files]) => ({ directory, program, files }));
      if (found.length === 0) unread.push({ path: directory, problem: 'there is no journal in it' });
      return found;
    } catch (error) {
      unread.push({ path: directory, problem: whyNot(error) });
      return [];
    }
  });
}

function whyNot(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such directory';
    case 'ENOTDIR':
      return 'it is no directory';
    case 'EACCES':
      return 'it may not be read, expected root';
    default:
      return messageOf(error);
  }
}

function readJournal(
  { directory, program, files, index }: Found & { readonly index: number },
  { since, until }: Range,
  mostKept: number,
): Pick<Collected, 'moments' | 'earlier' | 'leftOut'> & { readonly look: JournalReading } {
  const timeOf = createClockReader();
  // Read twice: where a line belongs is known only once the clock was put right, and a journal may be long.
  const places = placesOf(Array.from(scanJournal(files), timeOf));
  const timeAgain = createClockReader();
  let order = 0;
  let look: JournalReading = {
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
    // What was written in between has no place yet.
    const time = timeAgain(item);
    const place = places[order] ?? { at: time, clockBackMs: 0, clockOffMs: 0 };
    order += 1;
    const moment = { item, journal: index, order, ...place };
    look = lookedAt(look, item);
    const own = item.kind === 'line' ? item.line.at : moment.at;
    // Its own time counts as well as its place: where a clock was wrong for a while nothing gets lost.
    const isWanted = [moment.at, own].some((at) => at >= since && at <= until);
    if (isWanted) kept.push(moment);
    else if (item.kind === 'line' && own < since) rememberTransition(earlier, item.line);
    if (kept.length >= 2 * mostKept) {
      leftOut += kept.length - mostKept;
      kept = kept.slice(-mostKept);
    }
  }
  return { look, moments: kept, earlier: [...earlier.values()], leftOut };
}

function rememberTransition(earlier: Map<string, JournalLine>, line: JournalLine): void {
  if (line.event !== 'vrrp-transition' || line.subject === undefined) return;
  if (earlier.has(line.subject) || earlier.size < MOST_INSTANCES) earlier.set(line.subject, line);
}

function lookedAt(look: JournalReading, item: JournalItem): JournalReading {
  switch (item.kind) {
    case 'line': {
      const { seq, at, node } = item.line;
      return { ...look, node, lines: look.lines + 1, first: look.first ?? { seq, at }, last: { seq, at } };
    }
    case 'fault': {
      const faults = look.faults.length < MOST_FAULTS ? [...look.faults, item.fault] : look.faults;
      return { ...look, faults, faultCount: look.faultCount + 1 };
    }
    case 'unread': {
      const { path, problem } = item;
      return { ...look, unread: [...look.unread, { path, problem }] };
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

/** Something in one journal, with its place in time. */
export interface Moment {
  readonly item: JournalItem;
  /** Which journal, in the order in which they were read. */
  readonly journal: number;
  /** Where in it. */
  readonly order: number;
  /**
   * ISO 8601. Never earlier than what came before it in its journal: a clock that was changed must not tear a journal
   * apart. Empty for what comes before its first line.
   */
  readonly at: string;
  /** By how much the clock had been set back when it was written; 0 where it had not. */
  readonly clockBackMs: number;
  /** How far its own time is from its place: positive where the clock was ahead, negative where it was behind. */
  readonly clockOffMs: number;
}

type Place = Pick<Moment, 'at' | 'clockBackMs' | 'clockOffMs'>;

/** A clock that is disciplined goes back by less, which is of no importance. */
const CLOCK_BACK_MS = 1_000;

/** The own time of each item of one journal: an item that is not a line has the time of the line before it. */
export function createClockReader(): (item: JournalItem) => string {
  let last = '';
  return (item) => {
    if (item.kind === 'line') last = item.line.at;
    return last;
  };
}

/**
 * Where each item of one journal belongs, by their own times in the order of the journal. Where the clock went back, one of
 * two stretches is wrong. Had it gone forward before, the lines from there on were written ahead of time: they belong
 * right before the line at which the clock was put right. Else the lines behind it were written with a clock that was
 * behind: they belong where it went back, until it has caught up.
 */
export function placesOf(times: readonly string[]): readonly Place[] {
  const places = [...times];
  const backs = times.map((own, index) => backMs(times[index - 1], own));
  let behindUntil = '';
  for (const [index, own] of times.entries()) {
    const back = backs[index] ?? 0;
    if (back > 0 && !putRight(places, index, back)) behindUntil = places[index - 1] ?? '';
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

/** Moves the lines that were written ahead of time to the line at `index`; false where the clock had not gone forward. */
function putRight(places: string[], index: number, back: number): boolean {
  const own = places[index] ?? '';
  let first = index;
  while (first > 0 && (places[first - 1] ?? '') > own) first -= 1;
  const before = places[first - 1] ?? '';
  const ahead = places[first] ?? '';
  if (before !== '' && Date.parse(ahead) - Date.parse(before) < back / 2) return false;
  places.fill(own, first, index);
  return true;
}

/** The order of many journals, also of several nodes: that of their places in time, and within each its own. */
export function inOrder(moments: readonly Moment[]): readonly Moment[] {
  return moments.toSorted((a, b) => compareText(a.at, b.at) || a.journal - b.journal || a.order - b.order);
}
