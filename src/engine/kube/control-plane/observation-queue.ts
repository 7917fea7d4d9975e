import type { Observation } from './source.ts';

export interface ObservationQueue {
  push(observation: Observation): void;
  /** Yields what was pushed, in order, until `signal` aborts. For one reader. */
  drain(signal: AbortSignal): AsyncGenerator<Observation>;
}

/** A reader that falls this far behind, because an apply hangs, loses the oldest observations and never the newest. */
const capacity = 64;

export function createObservationQueue(): ObservationQueue {
  const waiting: Observation[] = [];
  let wake: () => void = () => undefined;
  return {
    push: (observation) => {
      waiting.push(observation);
      if (waiting.length > capacity) waiting.shift();
      wake();
    },
    async *drain(signal) {
      const onAbort = () => wake();
      signal.addEventListener('abort', onAbort);
      try {
        while (!signal.aborted) {
          const next = waiting.shift();
          if (next !== undefined) yield next;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
