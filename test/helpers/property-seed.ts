import fc from 'fast-check';

/**
 * Property tests draw the same values in each run, so that all runs are alike, and only a quarter of them, because
 * repeated runs of the rest would find nothing new. `PROPERTY_SEED=random` draws new values, all of them, and a failure
 * prints the seed; `PROPERTY_SEED=N` repeats it.
 */
const { PROPERTY_SEED } = process.env;
fc.configureGlobal({
  ...(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED ?? 20260101) }),
  numRuns: runs(100),
});

/** How often to try a property that deserves `all` tries with a new seed. */
export function runs(all: number): number {
  return PROPERTY_SEED === undefined ? Math.ceil(all / 4) : all;
}
