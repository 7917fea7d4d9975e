/**
 * Milliseconds of CLOCK_MONOTONIC. The clock is the same for all processes of one boot and cannot be set, so a deadline that one process stores is
 * valid for the next.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
