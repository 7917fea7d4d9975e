import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';

/** A monitor's loops by name. Each runs until `signal` aborts, cleans up and resolves. It throws if it cannot continue. */
export type Loops = Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>;

/** Time for the other loops to end after one failed. Removing nft rules and a file takes some milliseconds. */
const ENDS_WITHIN_MS = 800;
/** A handle that a library left open must not keep a finished process alive. */
const EXITS_WITHIN_MS = 150;

interface Surroundings {
  readonly log: Log;
  readonly asked: AbortSignal;
  /** Resolves with the path of a file that was replaced on the node while the container's mount still shows the old file. */
  readonly replaced?: (signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Prepares the loops of a monitor, runs them together, and resolves with the exit code: 0 if `asked` aborted and all loops ended, 1 if a loop failed.
 * A failed loop stops the others, because a monitor that does half of its work looks healthy; the log names the failed loop. An uncaught exception
 * and a `replaced` file also end the monitor, even during preparation. Rejects with whatever `prepare` throws. In all cases the process exits soon
 * afterwards.
 */
export async function runMonitor(
  { log, asked, replaced }: Surroundings,
  prepare: (signal: AbortSignal) => Promise<Loops>,
): Promise<number> {
  const failed = new AbortController();
  const signal = AbortSignal.any([asked, failed.signal]);
  const fail = (loop: string | undefined, error: unknown): void => {
    if (failed.signal.aborted) return;
    const stack = error instanceof Error ? error.stack : undefined;
    log({ event: 'monitor-failed', level: 'error', loop, message: messageOf(error), stack });
    failed.abort();
  };
  process.on('uncaughtException', (error) => fail(undefined, error));
  void replaced?.(signal).then((path) => {
    if (path !== undefined)
      fail(
        undefined,
        new Error(
          `"${path}" was replaced on the node, and this container sees the old file until it restarts`,
        ),
      );
  });
  try {
    const running = Object.entries(await prepare(signal)).map(async ([name, loop]) => {
      await loop(signal).catch((error: unknown) => fail(name, error));
    });
    await Promise.race([Promise.all(running), lateAfter(failed.signal)]);
    if (!failed.signal.aborted) log({ event: 'monitor-stopped' });
    return failed.signal.aborted ? 1 : 0;
  } finally {
    failed.abort();
    setTimeout(() => process.exit(), EXITS_WITHIN_MS).unref();
  }
}

function lateAfter(failed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, ENDS_WITHIN_MS);
    if (failed.aborted) wait();
    else failed.addEventListener('abort', wait, { once: true });
  });
}
