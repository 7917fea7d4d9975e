const LOOK_EVERY_MS = 10;

/**
 * Keeps a SIGTERM that comes while a program starts until something listens for it: one that is stopped then may have to undo what
 * an earlier one left, and Node alone would end it at once. A second SIGTERM does end it, and so does a start that fails.
 */
export function keepTermination(): void {
  process.once('SIGTERM', () => {
    const tell = (): void => {
      if (process.emit('SIGTERM')) clearInterval(timer);
    };
    const timer = setInterval(tell, LOOK_EVERY_MS).unref();
  });
}
