const RETRY_EVERY_MS = 10;

/**
 * Holds back a SIGTERM that arrives during startup until there is a listener: a stopped program may have to undo the work of an earlier one, and Node
 * would end it at once. A second SIGTERM ends the program, and so does a failed start.
 */
export function keepTermination(): void {
  process.once('SIGTERM', () => {
    const emitAgain = (): void => {
      if (process.emit('SIGTERM')) clearInterval(timer);
    };
    const timer = setInterval(emitAgain, RETRY_EVERY_MS).unref();
  });
}
