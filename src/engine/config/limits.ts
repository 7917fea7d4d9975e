/** The largest main file that a supervisor reads: ten thousand routes with about thirty pods each. */
export const MAX_CONFIGURATION_BYTES = 128 * 1024 * 1024;

/** The largest file that is read at the configuration's path: a foreign one may be larger. */
export const MAX_FOUND_BYTES = 256 * 1024 * 1024;

/** The other files of a set together: ten thousand certificates of 6 KB with a CA of 4 KB each, and the maps. */
export const MAX_SET_BYTES = 128 * 1024 * 1024;

/** The other files of a set: certificate, CA and allowlist of ten thousand routes, and the maps. Each new one costs a disk sync. */
export const MAX_SET_FILES = 32_768;
