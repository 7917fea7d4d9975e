import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after this many milliseconds, or when `signal` aborts. Never rejects. Without `ref` it does not keep the process alive. */
export async function sleep(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  await pause(ms, undefined, { signal, ref }).catch(() => undefined);
}
