import type { Answer } from '../control/answer.ts';

/** Open requests, by number. */
export interface Requests {
  /** Resolves with the answer to its number. */
  readonly open: (begin: (request: number) => void) => Promise<Answer>;
  readonly answer: (request: number, answer: Answer) => void;
}

export function createRequests(): Requests {
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  return {
    open: (begin) => {
      const request = ++last;
      return new Promise((resolve) => {
        waiting.set(request, resolve);
        begin(request);
      });
    },
    answer: (request, answer) => {
      waiting.get(request)?.(answer);
      waiting.delete(request);
    },
  };
}
