/** The faults of a server. All of them can be switched while connections are open. */
export interface Faults {
  /** Accepts requests and never answers; open watches fall silent. */
  readonly stall: boolean;
  /** Like an admission webhook that hangs: accepts writes and never answers them. */
  readonly stallWrites: boolean;
  /** Open and new watches stay open and deliver nothing, not even bookmarks: a half-open connection. */
  readonly silentWatch: boolean;
  /** Resets every open connection and each new one. */
  readonly reset: boolean;
  /** Answers everything except the probes with HTTP 500. */
  readonly error500: boolean;
  /** Answers lists and watches with HTTP 429 and this many seconds in `Retry-After`; 0 turns that off. */
  readonly retryAfterSeconds: number;
  /** Answers `/readyz` with HTTP 500. */
  readonly notReady: boolean;
  /** Like a real server in its first seconds of listening: its probes fail, and it forbids every request. */
  readonly starting: boolean;
  /** Refuses connections. */
  readonly refuse: boolean;
  /** Delay before every answer. */
  readonly slowMs: number;
  /** Sends half of the next watch event, then resets that connection. */
  readonly resetMidLine: boolean;
  /** Sent verbatim instead of the next watch event. */
  readonly nextWatchBytes: string;
  /**
   * What is wrong with lists: none of the objects, every second one, all of them at a very old version, all of them
   * plus 32 MB, or the first half of the text. Each change ends every watch, so that it is noticed.
   */
  readonly lie: 'none' | 'empty' | 'half' | 'old' | 'huge' | 'invalid';
}

export const noFaults: Faults = {
  stall: false,
  stallWrites: false,
  silentWatch: false,
  reset: false,
  error500: false,
  retryAfterSeconds: 0,
  notReady: false,
  starting: false,
  refuse: false,
  slowMs: 0,
  resetMidLine: false,
  nextWatchBytes: '',
  lie: 'none',
};
