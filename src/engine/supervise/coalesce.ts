/** Returns a function that runs `work`, one run at a time. Callers during a run share the next run, which starts after their call. */
export function coalesce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const run = (): Promise<Result> => {
    const current = work().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  };
  const runNext = (): Promise<Result> => {
    next = undefined;
    return run();
  };
  return () => {
    if (running === undefined && next === undefined) return run();
    next ??= (running ?? Promise.resolve()).then(runNext, runNext);
    return next;
  };
}
