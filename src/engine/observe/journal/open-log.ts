import { hostname } from 'node:os';
import type { Log } from '../../system/log.ts';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import { type InstanceSettings, instanceProgram } from '../instance.ts';
import { createLog } from '../logger.ts';
import { withJournal } from './journal.ts';

interface LogSettings extends InstanceSettings {
  readonly logLevel: string;
  readonly journal?: string | undefined;
}

/** The log of a daemon, with a journal if one is set. */
export async function openLog(name: string, settings: LogSettings): Promise<Log> {
  const { logLevel, journal } = settings;
  const program = instanceProgram(name, settings);
  const log = createLog(program, logLevel);
  if (journal === undefined) return log;
  return await withJournal(log, { directory: journal, program, node: hostname(), nowMs: monotonicMs });
}
