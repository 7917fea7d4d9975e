import { orAborted } from './or-aborted.ts';

/** Short compared with the timeout of a hung disk. */
const TICK_MS = 50;

/** Runs `work` one run at a time. Calls during a run share its result. */
export function sharedRun<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * `sharedRun` with a timeout. After `withinMs` the result is `hangs()` until that run ends, which a read on a dead mount never does. Each such read
 * blocks one of libuv's four threads; when all are blocked, the process can open no file and resolve no name. Time in which this process computes or
 * is starved does not count, because `work` cannot proceed then either.
 */
export function oneAtATime<T>(
  work: () => Promise<T>,
  withinMs: number,
  hangs: () => Error,
): () => Promise<T> {
  let running: Promise<T> | undefined;
  const run = async (): Promise<T> => {
    const late = new AbortController();
    using _ = awakeTimer(withinMs, () => late.abort(hangs()));
    const ended = work().finally(() => {
      running = undefined;
    });
    return await orAborted(ended, late.signal);
  };
  return async () => {
    running ??= run();
    return await running;
  };
}

/** Calls `onLate` after the event loop has been responsive for this many milliseconds. */
function awakeTimer(withinMs: number, onLate: () => void): Disposable {
  let leftMs = withinMs;
  const timer = setInterval(() => {
    leftMs -= TICK_MS;
    if (leftMs > 0) return;
    clearInterval(timer);
    onLate();
  }, TICK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
