/** Largest main file that a supervisor reads: enough for ten thousand routes with about thirty pods each. */
export const MAX_CONFIGURATION_BYTES = 128 * 1024 * 1024;

/** Largest file that is read at the configuration's path. A foreign file may exceed the limit for hawser's own. */
export const MAX_FOUND_BYTES = 256 * 1024 * 1024;

/** Limit for the total size of a set's other files: ten thousand certificates of 6 KB with a CA of 4 KB each, plus the maps. */
export const MAX_SET_BYTES = 128 * 1024 * 1024;

/**
 * Limit for the number of a set's other files: certificate, CA and allowlist of ten thousand routes, plus the maps. Each new file costs a disk sync.
 */
export const MAX_SET_FILES = 32_768;
