import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as `signal` aborts; never rejects. Without `ref` it keeps no process alive. */
export async function sleep(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  await pause(ms, undefined, { signal, ref }).catch(() => undefined);
}
