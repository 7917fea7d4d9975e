import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';

const LOOK_EVERY_MS = 20;

/**
 * Polls `condition` until its value is neither undefined nor false, and returns that value. Throws after `deadlineMs`,
 * or at once when `signal` aborts.
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limits: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<T> {
  const end = monotonicMs() + limits.deadlineMs;
  while (monotonicMs() < end) {
    limits.signal.throwIfAborted();
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    await pause(LOOK_EVERY_MS, undefined, { signal: limits.signal });
  }
  throw new Error(`Cannot go on: still waiting for ${what} after ${limits.deadlineMs / 1_000} s`);
}
