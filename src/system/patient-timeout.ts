/** The head, the body and the end of an answer may each take one. */
const ROUNDS = 3;

/**
 * As `AbortSignal.timeout`, but what has arrived by then is read first: a process that got to run late would take an
 * answer that lies there already for silence. It keeps no process alive.
 */
export function patientTimeout(timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  // Node runs timers, then reads, then runs immediates.
  const abortAfter = (rounds: number): void => {
    if (rounds > 0) setImmediate(() => abortAfter(rounds - 1));
    else controller.abort(new DOMException(`not done within ${timeoutMs} ms`, 'TimeoutError'));
  };
  setTimeout(abortAfter, timeoutMs, ROUNDS).unref();
  return controller.signal;
}
