const LOOK_EVERY_MS = 10;

/**
 * Holds back a SIGTERM that arrives during startup until something listens for it: a stopped program may have to undo the work of
 * an earlier one, and Node alone would end it at once. A second SIGTERM does end it, and so does a failed start.
 */
export function keepTermination(): void {
  process.once('SIGTERM', () => {
    const emitAgain = (): void => {
      if (process.emit('SIGTERM')) clearInterval(timer);
    };
    const timer = setInterval(emitAgain, LOOK_EVERY_MS).unref();
  });
}
