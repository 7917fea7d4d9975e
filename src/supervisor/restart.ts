/** The pauses before a generation that died, or would not start, is tried again: none, then 0.25 s to 5 s. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A generation that served this long was well: the pauses start anew. */
const WELL_AFTER_MS = 10_000;

/** The pause after this many failures in a row. */
export function restartDelayMs(failures: number): number {
  if (failures === 0) return 0;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** How many failures went before the death of a generation that served this long. */
export function failuresBeforeDeath(failures: number, servedMs: number): number {
  return servedMs >= WELL_AFTER_MS ? 0 : failures;
}
