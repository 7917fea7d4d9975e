/**
 * Limits of the list+watch loop, which are told by these names when they are met. The defaults suit kube-apiserver; tests
 * use smaller ones.
 */
export interface ListWatchTiming {
  /** One page of a list, or the wait for a watch's headers. */
  readonly requestTimeoutMs: number;
  /** A watched resource is listed again after this time, whatever the watch has reported. */
  readonly resyncMs: number;
  /** The API server ends a watch after this time. */
  readonly watchTimeoutSeconds: number;
  /** A watch that is silent for this long counts as dead: bookmarks arrive about once a minute. */
  readonly watchIdleMs: number;
  /** A watch that lived this long was healthy: when it ends, the backoff is reset. */
  readonly healthyWatchMs: number;
  readonly backoffFirstMs: number;
  readonly backoffCapMs: number;
  /** Objects a page: it is parsed at once, and so is memory for a moment. */
  readonly pageLimit: number;
  /** A longer page is asked for again with fewer objects. */
  readonly maxPageBytes: number;
  /** Ends a list whose pages always announce another one. */
  readonly maxPages: number;
  /**
   * The pause after a polled list is at least so many milliseconds for each of its objects, up to `resyncMs`: lists of thousands every few
   * seconds would cost this process and the API server a processor each.
   */
  readonly pollPauseMsPerObject: number;
  /** A list that was over a limit at one API server and answered by no other is asked for again after this time. */
  readonly tooLargePauseMs: number;
  /** After a list that lost more than half of what was known, the second list is asked for after this time. */
  readonly doubtPauseMs: number;
  /** Of one resource: what is kept of each takes memory for good. */
  readonly maxObjects: number;
  /** etcd takes objects up to 1.5 MiB. In JSON, a byte of them is six characters at most (`\u003c`). */
  readonly maxLineBytes: number;
}

export const defaultTiming: ListWatchTiming = {
  requestTimeoutMs: 5_000,
  resyncMs: 600_000,
  watchTimeoutSeconds: 300,
  watchIdleMs: 75_000,
  healthyWatchMs: 5_000,
  backoffFirstMs: 100,
  backoffCapMs: 5_000,
  pageLimit: 500,
  maxPageBytes: 16_000_000,
  maxPages: 1_000,
  pollPauseMsPerObject: 10,
  tooLargePauseMs: 60_000,
  doubtPauseMs: 5_000,
  maxObjects: 100_000,
  maxLineBytes: 10_000_000,
};
