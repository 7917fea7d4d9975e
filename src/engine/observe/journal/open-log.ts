import { hostname } from 'node:os';
import type { Log } from '../../system/log.ts';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import { type InstanceSettings, instanceProgram } from '../instance.ts';
import { createLog } from '../logger.ts';
import { engineEvents } from './engine-events.ts';
import { withJournal } from './journal.ts';
import type { JournalEvents } from './journal-events.ts';

interface LogSettings extends InstanceSettings {
  readonly logLevel: string;
  readonly journal?: string | undefined;
}

/** The log of a daemon, with a journal if one is set. It keeps `own` events, and those of every program. */
export async function openLog(name: string, settings: LogSettings, own: JournalEvents): Promise<Log> {
  const { logLevel, journal } = settings;
  const program = instanceProgram(name, settings);
  const log = createLog(program, logLevel);
  if (journal === undefined) return log;
  const events = { ...engineEvents, ...own };
  const options = { directory: journal, program, node: hostname(), events, nowMs: monotonicMs };
  return await withJournal(log, options);
}
