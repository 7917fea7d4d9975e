import { codeOf, messageOf } from '../errors.ts';

/** One round each for the head, the body and the end of an answer. */
const ROUNDS = 3;

interface PatientTimer extends Disposable {
  /** Restarts the timeout, even if it has expired and only received data is still being read. */
  readonly restart: () => void;
}

/**
 * Calls `onLate` after `timeoutMs`, but first lets received data be read. Otherwise a process that was scheduled late would mistake a received answer
 * for silence. Not called after disposal. Does not keep the process alive.
 */
export function patientTimer(timeoutMs: number, onLate: () => void): PatientTimer {
  let reading: NodeJS.Immediate | undefined;
  // Node runs timers, then reads, then runs immediates.
  const endAfter = (rounds: number): void => {
    if (rounds > 0) reading = setImmediate(endAfter, rounds - 1);
    else onLate();
  };
  const timer = setTimeout(endAfter, timeoutMs, ROUNDS).unref();
  return {
    restart: () => {
      clearImmediate(reading);
      timer.refresh();
    },
    [Symbol.dispose]: () => {
      clearImmediate(reading);
      clearTimeout(timer);
    },
  };
}

/** Like `AbortSignal.timeout`, with the tolerance of `patientTimer`. */
export function patientTimeout(timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  patientTimer(timeoutMs, () =>
    controller.abort(new DOMException(`not finished within ${timeoutMs} ms`, 'TimeoutError')),
  );
  return controller.signal;
}

/** Why a request got no answer, in a few words. */
export function timeoutReason(error: unknown, timeout: AbortSignal, timeoutMs: number): string {
  if (timeout.aborted) return `no answer within ${timeoutMs} ms`;
  return codeOf(error) === 'ECONNREFUSED' ? 'nothing listens there' : messageOf(error);
}
