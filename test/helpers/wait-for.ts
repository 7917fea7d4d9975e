/**
 * Resolves with the first value that is neither undefined nor false. Rejects with `what` (and the last error, if
 * the condition threw) once `deadlineMs` have passed. Asks again `pauseMs` after each answer.
 */
export async function waitFor<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 30_000,
  pauseMs = 20,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= end) {
      throw new Error(`Cannot wait any longer for ${what}: nothing after ${deadlineMs} ms`, {
        cause: lastError,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
