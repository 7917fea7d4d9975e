import { orAborted } from './or-aborted.ts';
import { patientTimer } from './patient-timeout.ts';

/**
 * Runs `work` once at a time: who calls meanwhile gets the same result. After `withinMs` the result is `hangs()`, and stays
 * so until that run has ended, which a read on a dead mount never does. Each such read keeps one of libuv's four threads,
 * and without them the process opens no file and looks up no name.
 */
export function oneAtATime<T>(
  work: () => Promise<T>,
  withinMs: number,
  hangs: () => Error,
): () => Promise<T> {
  let running: Promise<T> | undefined;
  const run = async (): Promise<T> => {
    const late = new AbortController();
    using _ = patientTimer(withinMs, () => late.abort(hangs()));
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
