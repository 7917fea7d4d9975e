import { type RetryLimits, retryPauseMs } from './retry.ts';

interface WorkQueueLimits {
  readonly concurrency: number;
  /** Backoff of each key, which doubles with consecutive failures. */
  readonly retry: RetryLimits;
  /** A burst of `burst` keys, then `perSecond`. Unlimited by default. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** Group of a key. Groups take turns, so that thousands of keys in one group do not delay another group. */
  readonly groupOf?: (key: string) => string;
}

/** Decides which key is processed next. Pure: all times are arguments, in milliseconds of one monotonic clock. */
export interface WorkQueue {
  /**
   * Queues a key for now, or for `dueMs`. A queued key that is in backoff or has a later time keeps its time; `forget` it first to change that. A key
   * in progress is queued again when it ends.
   */
  readonly add: (key: string, dueMs?: number) => void;
  /** The next key, which is in progress until `done` or `failed`. Undefined if no key is due or a limit is reached. */
  readonly take: (nowMs: number) => string | undefined;
  /** Ends the work on a key and resets its failures. With `againMs` the key is queued again after that time. */
  readonly done: (key: string, nowMs: number, againMs?: number) => void;
  /** Ends the work on a key and queues it again after its backoff. */
  readonly failed: (key: string, nowMs: number) => void;
  /** Removes a key with its failures. Work in progress continues, but does not queue the key again. */
  readonly forget: (key: string) => void;
  readonly pause: (untilMs: number) => void;
  readonly failing: () => number;
  /** Time until `take` may return a key. Undefined if only another call can change that. */
  readonly waitMs: (nowMs: number) => number | undefined;
}

/** Minimum time between searches through the delayed keys, of which there may be thousands. */
const SEARCH_EVERY_MS = 50;

/** Modelled on the workqueue of client-go. */
export function createWorkQueue(limits: WorkQueueLimits): WorkQueue {
  const { concurrency, retry, groupOf = () => '' } = limits;
  const bucket = createBucket(limits.rate);
  const ready = new Map<string, Set<string>>();
  const later = new Map<string, number>();
  const failures = new Map<string, number>();
  const running = new Map<string, 'once' | 'again' | 'forgotten'>();
  let searchMs = Number.POSITIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  const makeReady = (key: string): void => {
    const group = groupOf(key);
    ready.set(group, (ready.get(group) ?? new Set()).add(key));
  };
  const delay = (key: string, dueMs: number): void => {
    later.set(key, dueMs);
    searchMs = Math.min(searchMs, dueMs);
  };
  const promote = (nowMs: number): void => {
    if (nowMs < searchMs) return;
    let first = Number.POSITIVE_INFINITY;
    for (const [key, dueMs] of later) {
      if (dueMs > nowMs) first = Math.min(first, dueMs);
      else if (later.delete(key)) makeReady(key);
    }
    searchMs = Math.max(first, nowMs + SEARCH_EVERY_MS);
  };
  /** A key of the group that has waited longest since its last turn. */
  const nextReady = (): string | undefined => {
    const [turn] = ready;
    if (turn === undefined) return undefined;
    const [group, keys] = turn;
    const [key = ''] = keys;
    keys.delete(key);
    ready.delete(group);
    if (keys.size > 0) ready.set(group, keys);
    return key;
  };
  const end = (key: string, dueMs: number | undefined): void => {
    const how = running.get(key);
    running.delete(key);
    if (dueMs !== undefined && how !== 'forgotten') delay(key, dueMs);
    else if (how === 'again') makeReady(key);
  };

  return {
    add: (key, dueMs) => {
      if (running.has(key)) running.set(key, 'again');
      else if (later.has(key)) return;
      else if (dueMs === undefined) makeReady(key);
      else delay(key, dueMs);
    },
    take: (nowMs) => {
      promote(nowMs);
      if (nowMs < pausedUntilMs || running.size >= concurrency) return undefined;
      if (ready.size === 0 || bucket.waitMs(nowMs) > 0) return undefined;
      bucket.spend();
      const key = nextReady();
      if (key !== undefined) running.set(key, 'once');
      return key;
    },
    done: (key, nowMs, againMs) => {
      failures.delete(key);
      end(key, againMs === undefined || running.get(key) === 'again' ? undefined : nowMs + againMs);
    },
    failed: (key, nowMs) => {
      const times = (failures.get(key) ?? 0) + 1;
      if (running.get(key) !== 'forgotten') failures.set(key, times);
      end(key, nowMs + retryPauseMs(times, retry));
    },
    forget: (key) => {
      failures.delete(key);
      later.delete(key);
      const group = groupOf(key);
      const keys = ready.get(group);
      if (keys?.delete(key) && keys.size === 0) ready.delete(group);
      if (running.has(key)) running.set(key, 'forgotten');
    },
    pause: (untilMs) => {
      pausedUntilMs = untilMs;
    },
    failing: () => failures.size,
    waitMs: (nowMs) => {
      promote(nowMs);
      if (running.size >= concurrency) return undefined;
      if (ready.size + later.size === 0) return undefined;
      const dueMs = ready.size > 0 ? bucket.waitMs(nowMs) : searchMs - nowMs;
      return Math.max(0, dueMs, pausedUntilMs - nowMs);
    },
  };
}

/** A token bucket, initially full. */
function createBucket(rate: WorkQueueLimits['rate']) {
  if (rate === undefined) return { waitMs: () => 0, spend: () => undefined };
  const { perSecond, burst } = rate;
  let tokens = burst;
  let atMs = Number.NEGATIVE_INFINITY;
  return {
    waitMs: (nowMs: number): number => {
      tokens = Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perSecond);
      atMs = nowMs;
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000);
    },
    spend: () => {
      tokens -= 1;
    },
  };
}

/** After `done` with `againMs`, the key is queued again after that time. */
export type WorkResult = { readonly kind: 'done'; readonly againMs?: number } | { readonly kind: 'failed' };

interface Workers {
  /** Starts work on the keys that are due. Call it after `add`. */
  readonly pump: () => void;
  /** Resolves once no work is in progress. */
  readonly settled: () => Promise<void>;
}

/** Processes the keys of a queue until `signal` aborts. `work` rejects only on a bug. Nothing starts while `mayStart` returns false. */
export function startWorkers(
  queue: WorkQueue,
  work: (key: string) => Promise<WorkResult>,
  nowMs: () => number,
  signal: AbortSignal,
  mayStart = () => true,
): Workers {
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const run = async (key: string): Promise<void> => {
    const result = await work(key);
    if (result.kind === 'failed') queue.failed(key, nowMs());
    else queue.done(key, nowMs(), result.againMs);
  };
  const pump = (): void => {
    clearTimeout(timer);
    while (!signal.aborted && mayStart()) {
      const key = queue.take(nowMs());
      if (key === undefined) break;
      const started = run(key).finally(() => {
        running.delete(started);
        pump();
      });
      running.add(started);
    }
    const waitMs = signal.aborted || !mayStart() ? undefined : queue.waitMs(nowMs());
    if (waitMs !== undefined) timer = setTimeout(pump, waitMs);
  };
  return {
    pump,
    settled: async () => {
      await Promise.all(running);
    },
  };
}
