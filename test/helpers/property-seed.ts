import fc from 'fast-check';

/**
 * Property tests draw the same values in each run, so that a newcomer's run is everybody's. `PROPERTY_SEED=random` draws
 * new ones, and a failure prints the seed; `PROPERTY_SEED=N` repeats it.
 */
const { PROPERTY_SEED = '20260101' } = process.env;
fc.configureGlobal(PROPERTY_SEED === 'random' ? {} : { seed: Number(PROPERTY_SEED) });
