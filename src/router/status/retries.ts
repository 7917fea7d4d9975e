import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';

/** What failed, and when it is tried again. */
interface Retries {
  readonly failed: (key: string) => void;
  readonly succeeded: (key: string) => void;
  /** True from a failure until its pause is over. */
  readonly isWaiting: (key: string) => boolean;
  readonly keys: () => readonly string[];
}

/** The pause of a key doubles with each of its failures in a row. */
export function createRetries(limits: RetryLimits, nowMs: () => number): Retries {
  const failures = new Map<string, { readonly times: number; readonly dueMs: number }>();
  return {
    failed: (key) => {
      const times = (failures.get(key)?.times ?? 0) + 1;
      failures.set(key, { times, dueMs: nowMs() + retryPauseMs(times, limits) });
    },
    succeeded: (key) => void failures.delete(key),
    isWaiting: (key) => (failures.get(key)?.dueMs ?? 0) > nowMs(),
    keys: () => [...failures.keys()],
  };
}
