/** The exit code of a round that a signal ended. */
export const INTERRUPTED = 130;

/**
 * The first signal aborts `stop` with "interrupted", after `atOnce`, and prints what follows: on a busy machine that takes a while. A
 * second one ends this process, which cleans up as much as it can.
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
