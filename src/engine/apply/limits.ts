/** The largest main file, which a supervisor reads: far above any configuration. */
export const MAX_CONFIGURATION_BYTES = 16 * 1024 * 1024;

/** The largest file that is read where a configuration is to lie: one that hawser did not write may be larger. */
export const MAX_FOUND_BYTES = 64 * 1024 * 1024;

/** The other files of a set together: ten thousand certificates of 6 KB. */
export const MAX_SET_BYTES = 64 * 1024 * 1024;

/** The other files of a set: each costs a sync of the disk where it is new. */
export const MAX_SET_FILES = 10_000;
