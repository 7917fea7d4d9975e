import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { askOnce } from './ask-once.ts';
import type { LoadEvent } from './load-events.ts';

/**
 * Polls a port for the text that the configuration makes HAProxy answer, and emits each text once, when it is first
 * seen. During a reload the old and the new process answer in turn: the first new answer counts.
 */
export async function runProbe(
  target: { readonly host: string; readonly port: number; readonly gapMs: number },
  emit: (event: LoadEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  while (!signal.aborted) {
    const value = await ask(target);
    if (value !== undefined && !seen.has(value)) {
      seen.add(value);
      emit({ kind: 'served', value, atMs: monotonicMs() });
    }
    await delay(target.gapMs);
  }
}

const PATIENCE_MS = 1_000;

function ask(target: { readonly host: string; readonly port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = askOnce(target, '/', (outcome) => {
      clearTimeout(timer);
      resolve(outcome.kind === 'answered' ? outcome.body : undefined);
    });
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  });
}
