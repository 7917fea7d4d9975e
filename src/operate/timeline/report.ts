import * as z from 'zod/mini';
import { type JournalLine, journalKinds } from '../../engine/observe/journal/journal-line.ts';
import type { JournalItem } from '../../engine/observe/journal/read-journal.ts';
import type { Immutable } from '../../engine/system/immutable.ts';
import {
  type Collected,
  type JournalReading,
  journalReadingSchema,
  type Range,
  unreadSchema,
} from './collect.ts';
import type { JournalWords } from './journal-words.ts';

const entrySchema = z.object({
  at: z.string(),
  node: z.string(),
  program: z.string(),
  seq: z.int(),
  kind: z.enum(journalKinds),
  event: z.string(),
  subject: z.nullable(z.string()),
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** Of a VIP that moved: what was seen close by in time; null where nothing was. */
  because: z.nullable(z.string()),
  /** By how much the clock had been set back before it; 0 where it had not. */
  clockBackMs: z.number(),
  /** How far its time is from its place among the entries: the clock was ahead, or behind (negative); 0 where it was right. */
  clockOffMs: z.number(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Between the entries where it was found out: here the journal is not what its writer left. */
const faultSchema = z.object({
  kind: z.literal('fault'),
  node: z.nullable(z.string()),
  program: z.string(),
  path: z.string(),
  /** Null where it is about the whole file, which could not be read. */
  line: z.nullable(z.int()),
  problem: z.string(),
});

const verdict = z.enum(['whole', 'broken', 'unknown']);

/** What `hawser timeline --json` prints; published as `schemas/timeline.schema.json`. */
export const timelineSchema = z.object({
  v: z.literal(1),
  /** `broken` where a journal is; else `unknown` where one, or a part of it, could not be read. */
  verdict,
  /** ISO 8601, UTC; null where there is no bound. */
  since: z.nullable(z.string()),
  until: z.nullable(z.string()),
  /** Each journal as a whole, whatever part of it is shown. */
  journals: z.array(z.extend(journalReadingSchema, { verdict })),
  /** Directories that could not be read. */
  unread: unreadSchema,
  /** Earlier entries of the range that were more than is kept. */
  leftOut: z.int(),
  /** In order of time; within a journal in its own order, even where the clock was set back. */
  entries: z.array(z.union([entrySchema, faultSchema])),
});

export type TimelineReport = Immutable<z.infer<typeof timelineSchema>>;
export type TimelineEntry = Immutable<z.infer<typeof entrySchema>>;
export type TimelineFault = Immutable<z.infer<typeof faultSchema>>;
type Verdict = TimelineReport['verdict'];

/** `kinds` undefined shows all of them. Causes are searched among all entries regardless. */
export function timelineReport(
  collected: Collected,
  range: Range,
  words: JournalWords,
  kinds: readonly JournalLine['kind'][] | undefined,
): TimelineReport {
  const lines = collected.moments.flatMap(({ item }) => (item.kind === 'line' ? [item.line] : []));
  const journals = collected.journals.map(shownJournal);
  const verdicts = [
    ...journals.map(({ verdict }) => verdict),
    ...collected.unread.map(() => 'unknown' as const),
  ];
  return {
    v: 1,
    verdict: worstOf(verdicts),
    since: boundOf(range.since),
    until: boundOf(range.until),
    journals,
    unread: collected.unread,
    leftOut: collected.leftOut,
    entries: entriesOf(collected, lines, words, kinds),
  };
}

function entriesOf(
  { moments, journals, earlier }: Collected,
  lines: readonly JournalLine[],
  words: JournalWords,
  kinds: readonly JournalLine['kind'][] | undefined,
): TimelineReport['entries'] {
  const known = [...earlier, ...lines];
  let index = earlier.length - 1;
  return moments.flatMap(({ item, journal, clockBackMs, clockOffMs }): TimelineReport['entries'] => {
    if (item.kind !== 'line') return [shownFault(item, journals[journal])];
    index += 1;
    const isShown = kinds?.includes(item.line.kind) ?? true;
    return isShown ? [shownEntry(item.line, { clockBackMs, clockOffMs }, words.causesOf(known, index))] : [];
  });
}

function shownFault(
  item: Exclude<JournalItem, { kind: 'line' }>,
  of: JournalReading | undefined,
): TimelineFault {
  const { path, line, problem } = item.kind === 'fault' ? item.fault : { ...item, line: null };
  return { kind: 'fault', node: of?.node ?? null, program: of?.program ?? '', path, line, problem };
}

/** What a range has where it has no bound: earlier and later than every time. */
export const openRange: Range = { since: '', until: '~' };

function boundOf(text: string): string | null {
  return text === openRange.since || text === openRange.until ? null : text;
}

function shownJournal(journal: JournalReading): TimelineReport['journals'][number] {
  const { faultCount, unread } = journal;
  return { ...journal, verdict: faultCount > 0 ? 'broken' : unread.length > 0 ? 'unknown' : 'whole' };
}

/** `because` undefined where nothing was seen close by. */
function shownEntry(
  line: JournalLine,
  clock: Pick<TimelineEntry, 'clockBackMs' | 'clockOffMs'>,
  because: string | undefined,
): TimelineEntry {
  const { at, node, program, seq, kind, event } = line;
  const { subject = null, from = null, to = null, reason = null, facts = {} } = line;
  const what = { kind, event, subject, from, to, reason, because: because ?? null };
  return { at, node, program, seq, ...what, ...clock, facts };
}

function worstOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('broken')) return 'broken';
  return verdicts.includes('unknown') ? 'unknown' : 'whole';
}
