const LOOK_EVERY_MS = 50;
const TELL_EVERY_LOOKS = 20;

/**
 * Tells about once a second how long, at the most, our event loop was late: it was busy, or the machine did not let it
 * run. Does not keep the process alive. Seconds.
 *
 * A timer of its own, because `monitorEventLoopDelay` forgets with each `reset` what it was just measuring.
 */
export function watchEventLoop(take: (worstLagSeconds: number) => void): void {
  let [lastMs, worstMs, looks] = [performance.now(), 0, 0];
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
