import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';

/** Logs any exception of a supervisor and continues: its program still serves and must stay supervised. */
export function survive(log: Log): void {
  const report = (error: unknown): void =>
    log({
      event: 'internal-error',
      level: 'error',
      message: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}
