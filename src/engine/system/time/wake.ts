/** Lets one loop sleep until it is woken. */
export interface Wake {
  /** Ends the current sleep, or else the next one at once. Several calls before that count as one. */
  readonly poke: () => void;
  /** Whether the next sleep ends at once. */
  readonly isPoked: () => boolean;
  /** Resolves when poked, after `timeoutMs`, or when `signal` aborts. Pending I/O is handled first, however often a loop calls this. */
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
    isPoked: () => poked,
    sleep: (timeoutMs, signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          end = undefined;
          poked = false;
          // Timers and promises alone would starve the event loop's I/O.
          setImmediate(resolve);
        };
        const timer = setTimeout(finish, timeoutMs);
        signal.addEventListener('abort', finish, { once: true });
        end = finish;
        if (poked || signal.aborted) finish();
      }),
  };
}
