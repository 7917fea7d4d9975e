/** The exit code of a round ended by a signal. */
export const INTERRUPTED = 130;

/**
 * The first signal calls `atOnce`, prints what happens next, because it takes a while on a busy machine, and aborts `stop` with
 * "interrupted". A second signal exits at once and cleans up as far as possible.
 */
export function stopOnSignals(stop: AbortController, atOnce: () => void = () => undefined): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(INTERRUPTED);
      atOnce();
      process.stderr.write('stopping: ends its programs and removes its network\n');
      stop.abort('interrupted');
    });
}
