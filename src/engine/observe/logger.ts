import { pino } from 'pino';
import type { Log } from '../system/log.ts';

/**
 * JSON lines on stderr, one for each event, written before the call returns, so that a killed supervisor has logged
 * everything. `program` names the container within the pod.
 */
export function createLog(program: string, level = 'info'): Log {
  const destination = pino.destination({ fd: 2, sync: true });
  // A closed stderr must not stop the program.
  destination.on('error', () => undefined);
  const logger = pino(
    {
      level,
      base: { program },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return ({ level: eventLevel = 'info', ...fields }) => logger[eventLevel](fields);
}
