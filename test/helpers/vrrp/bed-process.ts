import { isAlive, type ProcessId, readProcess } from '../../../src/engine/system/process/processes.ts';
import { startLogged } from '../child.ts';
import { waitFor } from '../wait-for.ts';

export interface BedProcess {
  readonly id: ProcessId;
  /** Its output, and that of earlier processes of the same name. */
  readonly log: string;
}

/** Goes in front of measuring programs: they run before others, or their own lateness would look like the others'. */
export const AHEAD = ['nice', '-n', '-19'] as const;

/** Starts a program behind `prefix` and appends its output to `log`. It ends with its namespace. */
export function startProcess(
  prefix: readonly [string, ...string[]],
  argv: readonly string[],
  log: string,
): BedProcess {
  const child = startLogged([...prefix, ...argv], log);
  child.on('error', () => {});
  // Until Node has reaped it, even a child that ended at once keeps its entry in /proc.
  const found = child.pid === undefined ? undefined : readProcess(child.pid);
  if (found === undefined) throw new Error(`Cannot start "${argv.join(' ')}": no process`);
  return { id: found.id, log };
}

/** By pid and start time, so that a reused pid is not signalled. */
export function sendSignal(ids: readonly ProcessId[], signal: NodeJS.Signals): void {
  for (const id of ids) {
    if (!isAlive(id)) continue;
    try {
      process.kill(id.pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

export async function waitForEnd(ids: readonly ProcessId[], deadlineMs = 15_000): Promise<void> {
  await waitFor('processes to end', () => !ids.some(isAlive), deadlineMs);
}
