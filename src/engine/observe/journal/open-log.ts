import { hostname } from 'node:os';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import { createLog, type Log } from '../logger.ts';
import { withJournal } from './journal.ts';

/** The log of a daemon, with a journal if one is set. */
export async function openLog(
  program: string,
  { logLevel, journal }: { readonly logLevel: string; readonly journal?: string | undefined },
): Promise<Log> {
  const log = createLog(program, logLevel);
  if (journal === undefined) return log;
  return await withJournal(log, { directory: journal, program, node: hostname(), nowMs: monotonicMs });
}
