const SAMPLE_EVERY_MS = 50;
const SAMPLES_PER_REPORT = 20;

/**
 * Calls `report` about once a second with the longest delay of the event loop in seconds. A delay means that the process was busy or not
 * scheduled. Does not keep the process alive. Uses its own timer, because `reset` of `monitorEventLoopDelay` discards the measurement in progress.
 */
export function watchEventLoop(report: (worstLagSeconds: number) => void): void {
  let lastMs = performance.now();
  let worstMs = 0;
  let samples = 0;
  const sample = (): void => {
    const now = performance.now();
    worstMs = Math.max(worstMs, now - lastMs - SAMPLE_EVERY_MS);
    lastMs = now;
    samples += 1;
    if (samples < SAMPLES_PER_REPORT) return;
    report(worstMs / 1_000);
    [worstMs, samples] = [0, 0];
  };
  setInterval(sample, SAMPLE_EVERY_MS).unref();
}
