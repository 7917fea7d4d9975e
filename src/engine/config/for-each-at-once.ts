/** A disk syncs several files in the time of one. */
const AT_ONCE = 16;

/** Runs `work` for each item, several at once. After a failure it starts no more, waits for the running ones, and throws the first error. */
export async function forEachAtOnce<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const failures: unknown[] = [];
  const goOn = async (): Promise<void> => {
    for (const each of left) {
      if (failures.length > 0) return;
      await work(each).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  if (failures.length > 0) throw failures[0];
}
