import { orAborted } from './or-aborted.ts';

/** Short compared with the timeout of a hung disk. */
const TICK_MS = 50;

/** Runs `work` once at a time: calls during a run get the result of that run. */
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
 * `sharedRun` with a timeout. After `withinMs` the result is `hangs()`, and stays so until that run has ended, which a read on a dead mount never
 * does. Each such read blocks one of libuv's four threads, and without those the process can open no file and resolve no name. Time in which this
 * process computes or is starved does not count: each step of `work` waits for that too.
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

/** Calls `onLate` after this many milliseconds in which the event loop turned. */
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
