import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../engine/system/process/processes.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { Running } from './runtime/line.ts';
import { askRuntimeApi } from './runtime-api.ts';

const AGAIN_MS = 10;

/** Sends commands to a master's worker through the master's socket. Otherwise like `askMaster`. */
export async function askWorker(
  masterSocket: string,
  running: Running,
  commands: readonly string[],
  withinMs: number,
): Promise<string | undefined> {
  return await askMaster(masterSocket, running, toWorker(commands), withinMs);
}

/**
 * Sends `text` to a master. Returns undefined if there is no reply within `withinMs`, or the master has ended. HAProxy 2.5 and newer re-execute the
 * master after it has read the configuration and accept no connection meanwhile, so a refused connection is retried. Source: HAProxy's management
 * guide, "Master CLI".
 */
export async function askMaster(
  masterSocket: string,
  { master }: Running,
  text: string,
  withinMs: number,
): Promise<string | undefined> {
  const untilMs = monotonicMs() + withinMs;
  for (;;) {
    const reply = await askRuntimeApi(masterSocket, text, Math.max(1, untilMs - monotonicMs()));
    const isOver = untilMs - monotonicMs() <= AGAIN_MS;
    if (reply !== undefined || isOver || !isAlive(master)) return reply;
    await pause(AGAIN_MS, undefined, { ref: false });
  }
}

/** Formats commands for a worker in the form that its master's socket expects. */
export function toWorker(commands: readonly string[]): string {
  return commands.map((command) => `@1 ${command}`).join(';');
}
