import type { Log } from '../system/log.ts';

/** A log that never throws: failing to log must not stop the work. */
export function neverThrowing(log: Log): Log {
  return (event) => {
    try {
      log(event);
    } catch {
      // There is nowhere else to report it.
    }
  };
}
