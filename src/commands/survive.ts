import { messageOf } from '../model/errors.ts';
import type { Log } from '../observe/logger.ts';

/**
 * Whatever goes wrong in a supervisor is logged and survived: the program that it looks after goes on serving, and must
 * not be left alone for it.
 */
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
