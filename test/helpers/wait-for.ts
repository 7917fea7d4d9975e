/**
 * Resolves with the first value that is neither undefined nor false. Rejects with `what` (and the last error, if the
 * condition threw) after `deadlineMs`. Asks again `pauseMs` after each answer; by default less often the longer it has
 * waited, because most conditions start a program and a busy machine has better things to run.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 60_000,
  pauseMs?: number,
): Promise<T> {
  const start = performance.now();
  const waitedMs = () => performance.now() - start;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      lastError = error;
    }
    if (waitedMs() >= deadlineMs) {
      throw new Error(`Cannot wait any longer for ${what}: nothing after ${deadlineMs} ms`, {
        cause: lastError,
      });
    }
    const pause = pauseMs ?? Math.min(250, Math.max(20, waitedMs() / 4));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The entries of a growing list, once it has `count` of them. One too many fails at once instead of after a minute. */
export async function times<T>(what: string, list: () => readonly T[], count: number): Promise<readonly T[]> {
  const entries = await waitFor(`${count} × ${what}`, () => {
    const soFar = list();
    return soFar.length >= count && soFar;
  });
  if (entries.length > count)
    throw new Error(`Cannot have ${entries.length} × ${what}, expected ${count}: ${JSON.stringify(entries)}`);
  return entries;
}
