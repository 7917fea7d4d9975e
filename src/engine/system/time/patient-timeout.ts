/** The head, the body and the end of an answer may each take one. */
const ROUNDS = 3;

interface PatientTimer extends Disposable {
  /** Counts from now on anew, even where the time is over and only what has arrived is still being read. */
  readonly restart: () => void;
}

/**
 * Calls `onLate` once `timeoutMs` have passed, but what has arrived by then is read first: a process that got to run
 * late would take an answer that lies there already for silence. It is not called after the end, and keeps no process
 * alive.
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

/** As `AbortSignal.timeout`, with the patience of `patientTimer`. */
export function patientTimeout(timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  patientTimer(timeoutMs, () =>
    controller.abort(new DOMException(`not done within ${timeoutMs} ms`, 'TimeoutError')),
  );
  return controller.signal;
}
