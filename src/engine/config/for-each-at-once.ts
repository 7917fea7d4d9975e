/** A disk can sync several files in the time that one takes. */
const AT_ONCE = 16;

/**
 * Runs `work` for each item, up to `AT_ONCE` items at a time. After a failure no further item starts; once the running ones have ended, the first
 * error is thrown.
 */
export async function forEachAtOnce<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const failures: unknown[] = [];
  const runWorker = async (): Promise<void> => {
    for (const each of left) {
      if (failures.length > 0) return;
      await work(each).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runWorker));
  if (failures.length > 0) throw failures[0];
}
