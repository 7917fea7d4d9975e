/** Limits of the list and watch loop. Messages about an exceeded limit use these names. The defaults suit kube-apiserver; tests use smaller ones. */
export interface ListWatchTiming {
  /** Timeout of one page of a list, or of a watch's headers. */
  readonly requestTimeoutMs: number;
  /** A watched resource is listed again after this time, whatever the watch reported. */
  readonly resyncMs: number;
  /** The API server ends a watch after this time. */
  readonly watchTimeoutSeconds: number;
  /** A watch that is still open this long after `watchTimeoutSeconds` is ended, so that `resyncMs` holds whatever the API server does. */
  readonly watchSlackMs: number;
  /** A watch that is silent for this long is dead: bookmarks arrive about once a minute. */
  readonly watchIdleMs: number;
  /** A watch that lived this long was healthy. When it ends, the backoff is reset. */
  readonly healthyWatchMs: number;
  readonly backoffFirstMs: number;
  readonly backoffCapMs: number;
  /** Objects per page. A page is parsed as a whole and briefly kept in memory. */
  readonly pageLimit: number;
  /** A larger page is requested again with fewer objects. */
  readonly maxPageBytes: number;
  /** Ends a list whose pages never end. */
  readonly maxPages: number;
  /**
   * The pause after a polled list is at least this many milliseconds per object, up to `resyncMs`. Lists of thousands of objects every few seconds
   * would cost this process and the API server one CPU each.
   */
  readonly pollPauseMsPerObject: number;
  /** Pause before another request if a list exceeded a limit at one API server and no other answered. */
  readonly tooLargePauseMs: number;
  /** Pause before the second list if the first one lacks more than half of the known objects. */
  readonly doubtPauseMs: number;
  /** Limit for the objects of one resource, because each projection stays in memory. */
  readonly maxObjects: number;
  /** etcd accepts objects of up to 1.5 MiB. In JSON, one of their bytes is at most six characters (`\u003c`). */
  readonly maxLineBytes: number;
}

export const defaultTiming: ListWatchTiming = {
  requestTimeoutMs: 5_000,
  resyncMs: 600_000,
  watchTimeoutSeconds: 300,
  watchSlackMs: 30_000,
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
