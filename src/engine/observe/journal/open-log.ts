import { hostname } from 'node:os';
import type { Log } from '../../system/log.ts';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import { createLog } from '../logger.ts';
import { engineEvents } from './engine-events.ts';
import { withJournal } from './journal.ts';
import type { JournalEvents } from './journal-events.ts';

export interface LogSettings {
  /** Distinguishes several instances of a program on one node. */
  readonly instance?: string | undefined;
  readonly logLevel: string;
  readonly journal?: string | undefined;
}

/**
 * The log of a daemon, with a journal if one is set. It keeps `own` events, and those of every program. The program is called
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
