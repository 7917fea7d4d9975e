/** Lets one loop sleep until it is woken. */
export interface Wake {
  /** Ends the current sleep, or the next one at once. Any number of calls wake once. */
  readonly poke: () => void;
  /** Resolves when poked, after `timeoutMs`, or when `signal` aborts: after pending I/O was handled, however often a loop calls it. */
  readonly sleep: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
}

export function createWake(): Wake {
  let poked = false;
  let end: (() => void) | undefined;
  return {
    poke: () => {
      poked = true;
      end?.();
    },
    sleep: (timeoutMs, signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          end = undefined;
          poked = false;
          // Due timers and promises alone would starve the event loop's I/O.
          setImmediate(resolve);
        };
        const timer = setTimeout(finish, timeoutMs);
        signal.addEventListener('abort', finish, { once: true });
        end = finish;
        if (poked || signal.aborted) finish();
      }),
  };
}
