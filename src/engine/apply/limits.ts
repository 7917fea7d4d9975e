/** The largest file that a supervisor is given to read: far above any configuration. */
export const MAX_CONFIGURATION_BYTES = 16 * 1024 * 1024;

/** The largest file that is read where a configuration is to lie: one that hawser did not write may be larger. */
export const MAX_FOUND_BYTES = 64 * 1024 * 1024;
