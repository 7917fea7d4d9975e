const LOOK_EVERY_MS = 50;
const TELL_EVERY_LOOKS = 20;

/**
 * Reports about once a second the longest delay of our event loop in seconds: it was busy, or the machine did not schedule it. Does not keep the
 * process alive. It uses its own timer, because `reset` of `monitorEventLoopDelay` discards the measurement in progress.
 */
export function watchEventLoop(take: (worstLagSeconds: number) => void): void {
  let lastMs = performance.now();
  let worstMs = 0;
  let looks = 0;
  const look = (): void => {
    const now = performance.now();
    worstMs = Math.max(worstMs, now - lastMs - LOOK_EVERY_MS);
    lastMs = now;
    looks += 1;
    if (looks < TELL_EVERY_LOOKS) return;
    take(worstMs / 1_000);
    [worstMs, looks] = [0, 0];
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
