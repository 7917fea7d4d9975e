import type { Labels } from './lean-registry.ts';

/** Of `hawser_reloads_total`. */
export const RELOAD_RESULTS: readonly Labels[] = ['done', 'rejected', 'failed'].map((result) => ({ result }));
