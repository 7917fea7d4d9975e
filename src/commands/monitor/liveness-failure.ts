/** A loop that has not gone round for this long hangs; a reload that waits for another takes 20 s at most. */
const HUNG_AFTER_S = 120;

/** One line for `/healthz` where the loop hangs, undefined while it goes round. */
export function livenessFailure(secondsSinceBeat: number): string | undefined {
  if (secondsSinceBeat < HUNG_AFTER_S) return undefined;
  return `the monitor's loop has not gone round for ${Math.round(secondsSinceBeat)} s, expected at most ${HUNG_AFTER_S}`;
}
