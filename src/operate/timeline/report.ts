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
  /** The likely cause of a VIP move, from entries close in time; null if there are none. */
  because: z.nullable(z.string()),
  /** By how much the clock was set back before this entry; 0 if it was not. */
  clockBackMs: z.number(),
  /** How far the node's clock was ahead, or behind (negative), judged by the entry's position; 0 if it was right. */
  clockOffMs: z.number(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** A place in the journal that is not as its writer left it, among the entries around it. */
const faultSchema = z.object({
  kind: z.literal('fault'),
  node: z.nullable(z.string()),
  program: z.string(),
  path: z.string(),
  /** Null if the whole file could not be read. */
  line: z.nullable(z.int()),
  problem: z.string(),
});

const verdict = z.enum(['whole', 'broken', 'unknown']);

/** The output of `hawser timeline --json`; published as `schemas/timeline.schema.json`. */
export const timelineSchema = z.object({
  v: z.literal(1),
  /** `broken` if a journal is broken, else `unknown` if a journal or a part of it could not be read. */
  verdict,
  /** ISO 8601, UTC; null without a bound. */
  since: z.nullable(z.string()),
  until: z.nullable(z.string()),
  /** The journals, each described as a whole even if only a part is shown. */
  journals: z.array(z.extend(journalReadingSchema, { verdict })),
  /** Directories that could not be read. */
  unread: unreadSchema,
  /** The number of earlier entries of the range that were omitted, because there were too many. */
  leftOut: z.int(),
  /** In chronological order. Entries of one journal keep their order even if the clock was set back. */
  entries: z.array(z.union([entrySchema, faultSchema])),
});

export type TimelineReport = Immutable<z.infer<typeof timelineSchema>>;
export type TimelineEntry = Immutable<z.infer<typeof entrySchema>>;
export type TimelineFault = Immutable<z.infer<typeof faultSchema>>;
type Verdict = TimelineReport['verdict'];

/** Builds the report. `kinds` limits the shown entries; undefined shows all. Causes are searched among all entries. */
export function timelineReport(
  collected: Collected,
  range: Range,
  words: JournalWords,
  kinds: readonly JournalLine['kind'][] | undefined,
): TimelineReport {
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
    entries: entriesOf(collected, words, kinds),
  };
}

function entriesOf(
  { moments, journals, earlier }: Collected,
  words: JournalWords,
  kinds: readonly JournalLine['kind'][] | undefined,
): TimelineReport['entries'] {
  const lines = moments.flatMap(({ item }) => (item.kind === 'line' ? [item.line] : []));
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

/** The range without bounds. Its ends sort before and after every time. */
export const openRange: Range = { since: '', until: '~' };

function boundOf(text: string): string | null {
  return text === openRange.since || text === openRange.until ? null : text;
}

function shownJournal(journal: JournalReading): TimelineReport['journals'][number] {
  const { faultCount, unread } = journal;
  return { ...journal, verdict: faultCount > 0 ? 'broken' : unread.length > 0 ? 'unknown' : 'whole' };
}

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
