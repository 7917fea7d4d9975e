import { statSync } from 'node:fs';
import type { JournalFile } from '../../engine/observe/journal/journal-files.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import {
  type JournalFault,
  type JournalItem,
  journalsIn,
  scanJournal,
} from '../../engine/observe/journal/read-journal.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import { createClockReader, inOrder, type Moment, placesOf } from './moment.ts';

/** What can be said of one journal, whatever part of it is shown. */
export interface JournalReading {
  readonly directory: string;
  readonly program: string;
  /** The node of its last line. */
  readonly node: string | undefined;
  readonly lines: number;
  readonly first: { readonly seq: number; readonly at: string } | undefined;
  readonly last: { readonly seq: number; readonly at: string } | undefined;
  /** The first of them; `faultCount` says how many there are. */
  readonly faults: readonly JournalFault[];
  readonly faultCount: number;
  readonly unread: readonly Unread[];
}

interface Unread {
  readonly path: string;
  readonly problem: string;
}

export interface Collected {
  readonly journals: readonly JournalReading[];
  /** Directories of which nothing could be read. */
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
    ...{ directory, program, node: undefined, lines: 0, first: undefined, last: undefined },
    ...{ faults: [], faultCount: 0, unread: [] },
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
