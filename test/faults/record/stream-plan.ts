/** How many connections of the client stay open, and for how long at most: a drain that waits for them must come to its end. */
export const STREAMS = 4;
export const LONGEST_STREAM_MS = 20_000;
/** Between two requests on one of them. */
export const STREAM_GAP_MS = 250;
/** An answer that takes longer ends it. */
export const STREAM_TIMEOUT_MS = 1_000;
