import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, type ProcessId } from './processes.ts';

/** The poll interval for a process that is not our child: the kernel reports an exit only to the parent. */
const LOOK_EVERY_MS = 100;

/** Resolves once the process is gone. The wait does not keep our process alive. */
export async function waitUntilGone(id: ProcessId): Promise<void> {
  while (isAlive(id)) await pause(LOOK_EVERY_MS, undefined, { ref: false });
}
