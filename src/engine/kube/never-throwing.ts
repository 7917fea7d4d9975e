import type { Log } from '../system/log.ts';

/** A failing log must not end what it reports on. */
export function neverThrowing(log: Log): Log {
  return (event) => {
    try {
      log(event);
    } catch {
      // There is nowhere else to report it.
    }
  };
}
