import fc from 'fast-check';

/**
 * Property tests draw the same values in each run, so that a newcomer's run is everybody's, and a quarter of them: what the rest
 * would find is found once. `PROPERTY_SEED=random` draws new ones, all of them, and a failure prints the seed; `PROPERTY_SEED=N`
 * repeats it.
 */
const { PROPERTY_SEED } = process.env;
fc.configureGlobal({
  ...(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED ?? 20260101) }),
  numRuns: runs(100),
});

/** How often a property is tried that deserves `all` with a new seed. */
export function runs(all: number): number {
  return PROPERTY_SEED === undefined ? Math.ceil(all / 4) : all;
}
