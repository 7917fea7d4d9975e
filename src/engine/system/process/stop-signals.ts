import type { Log } from '../log.ts';
/** Aborts at the first SIGTERM or SIGINT: the normal end of every command that runs until it is stopped. */
export function stopOnSignals(log: Log): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!controller.signal.aborted) log({ event: 'stopping', signal });
      controller.abort();
    });
  }
  return controller.signal;
}
