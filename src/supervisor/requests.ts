import type { Answer } from '../protocol/answer.ts';

/** Requests that wait for an answer, by number. */
export interface Requests {
  /** Resolves with the answer that its number is given. */
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
