/** A loop without an iteration for this long hangs. A reload that waits for another one takes 20 s at most. */
const HUNG_AFTER_S = 120;

/** One line for `/healthz` if the loop hangs; undefined otherwise. */
export function livenessFailure(secondsSinceBeat: number): string | undefined {
  if (secondsSinceBeat < HUNG_AFTER_S) return undefined;
  return `the monitor's loop has not completed an iteration for ${Math.round(secondsSinceBeat)} s, expected at most ${HUNG_AFTER_S}`;
}
