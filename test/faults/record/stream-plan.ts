/** How many client connections stay open. Their maximum age is limited so that a drain that waits for them can finish. */
export const STREAMS = 4;
export const LONGEST_STREAM_MS = 20_000;
/** Between two requests on one of them. */
export const STREAM_GAP_MS = 250;
/** A connection is closed if an answer takes longer than this. */
export const STREAM_TIMEOUT_MS = 1_000;
