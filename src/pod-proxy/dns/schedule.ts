import { type RetryLimits, retryPauseMs } from '../../engine/system/time/retry.ts';

/** When to publish: at once if it is new, again after a failure, and periodically to repair what others changed. */
interface Schedule {
  /** Milliseconds until this is due. */
  readonly waitMs: (what: string) => number;
  readonly published: (what: string, isDone: boolean) => void;
}

export interface ScheduleTiming {
  readonly repairMs: number;
  readonly retry: RetryLimits;
}

export function createSchedule({ repairMs, retry }: ScheduleTiming, nowMs: () => number): Schedule {
  let last: { readonly what: string; readonly failures: number; readonly dueMs: number } | undefined;
  return {
    waitMs: (what) => (last?.what === what ? Math.max(0, last.dueMs - nowMs()) : 0),
    published: (what, isDone) => {
      const failures = isDone ? 0 : 1 + (last?.what === what ? last.failures : 0);
      last = { what, failures, dueMs: nowMs() + (isDone ? repairMs : retryPauseMs(failures, retry)) };
    },
  };
}
