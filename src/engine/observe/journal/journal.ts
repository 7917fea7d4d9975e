import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf } from '../../system/errors.ts';
import type { Log, LogEvent } from '../../system/log.ts';
import { holdName } from '../../system/network/held-name.ts';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import { createLog } from '../logger.ts';
import { engineEvents, type JournalEvents, journalEntryOf } from './journal-events.ts';
import type { JournalEntry } from './journal-line.ts';
import { type JournalLimits, type JournalWriter, openJournalWriter } from './journal-writer.ts';

/** At most 4 MB per program, about 10,000 entries. */
const DEFAULT_LIMITS: JournalLimits = { fileBytes: 512 * 1_024, files: 8 };
/** Retry pause after a failure: a full disk must not cost an attempt for every event. */
const RETRY_MS = 1_000;

interface JournalOptions {
  readonly directory: string;
  /** Also the prefix of the file names. */
  readonly program: string;
  readonly node: string;
  readonly events: JournalEvents;
  readonly limits?: JournalLimits;
  readonly nowMs: () => number;
}

/**
 * The same log, plus a journal of selected events. A failing journal does not affect the log or its program: an unwritable directory, a full disk and
 * a second writer are logged once, and so is the recovery, with the number of lost entries. An entry costs one small write into the page cache.
 */
export async function withJournal(log: Log, options: JournalOptions): Promise<Log> {
  const { directory, program, events } = options;
  // If such sockets are not available, the check of the file size has to suffice.
  const isFree = await claimJournal(directory, program).catch(() => true);
  if (!isFree) {
    log({ event: 'journal-refused', level: 'warn', directory, message: 'another process writes it' });
    return log;
  }
  const keep = createKeeper(log, options);
  return (event: LogEvent) => {
    log(event);
    const entry = journalEntryOf(events, event);
    if (entry !== undefined) keep(entry);
  };
}

function createKeeper(log: Log, options: JournalOptions): (entry: JournalEntry) => void {
  const { directory, program, limits = DEFAULT_LIMITS, nowMs } = options;
  let writer: JournalWriter | undefined;
  /** Entries lost since the last write, and how many of them are not recorded yet. */
  let trouble: { readonly lost: number; readonly unrecorded: number; readonly retryAt: number } | undefined;

  const lose = (retryAt: number): void => {
    trouble = { lost: (trouble?.lost ?? 0) + 1, unrecorded: (trouble?.unrecorded ?? 0) + 1, retryAt };
  };
  const fail = (error: unknown): void => {
    if (trouble === undefined)
      log({ event: 'journal-not-written', level: 'warn', directory, program, message: messageOf(error) });
    lose(nowMs() + RETRY_MS);
    // The file is examined again before the next line.
    writer?.close();
    writer = undefined;
  };
  const write = (entry: JournalEntry): void => {
    writer ??= openJournalWriter(directory, options, limits);
    if (trouble !== undefined && trouble.unrecorded > 0) {
      writer.append({ kind: 'journal', event: 'journal-gap', facts: { lost: trouble.unrecorded } });
      trouble = { ...trouble, unrecorded: 0 };
    }
    writer.append(entry);
  };
  return (entry) => {
    if (trouble !== undefined && nowMs() < trouble.retryAt) return lose(trouble.retryAt);
    try {
      write(entry);
    } catch (error) {
      return fail(error);
    }
    if (trouble !== undefined) log({ event: 'journal-recovered', directory, program, lost: trouble.lost });
    trouble = undefined;
  };
}

/** Resolves with whether this process is now the only one that writes this program's journal there. */
async function claimJournal(directory: string, program: string): Promise<boolean> {
  const digest = createHash('sha256').update(`${directory}\0${program}`).digest('hex');
  return await holdName(`hawser-journal-${digest}`);
}

export interface LogSettings {
  /** Distinguishes several instances of a program on one node. */
  readonly instance?: string | undefined;
  readonly logLevel: string;
  readonly journal?: string | undefined;
}

/**
 * The log of a daemon, with a journal if one is set. It records `own` events, and those of every program. The program is called
 * `router-b` with `--instance b`: several may keep their journals in one folder.
 */
export async function openLog(name: string, settings: LogSettings, own: JournalEvents): Promise<Log> {
  const { logLevel, journal, instance } = settings;
  const program = instance === undefined ? name : `${name}-${instance}`;
  const log = createLog(program, logLevel);
  if (journal === undefined) return log;
  const events = { ...engineEvents, ...own };
  const options = { directory: journal, program, node: hostname(), events, nowMs: monotonicMs };
  return await withJournal(log, options);
}
