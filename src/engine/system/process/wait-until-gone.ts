import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, type ProcessId } from './processes.ts';

/** Poll interval. The kernel reports an exit only to the parent, and this process is not the parent. */
const POLL_EVERY_MS = 100;

/** Resolves once the process is gone. The wait does not keep this process alive. */
export async function waitUntilGone(id: ProcessId): Promise<void> {
  while (isAlive(id)) await pause(POLL_EVERY_MS, undefined, { ref: false });
}
