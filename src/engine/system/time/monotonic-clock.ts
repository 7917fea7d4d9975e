/**
 * Milliseconds of CLOCK_MONOTONIC. All processes of one boot share it and it cannot be set, so a deadline written
 * down by one process means the same to the next.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
