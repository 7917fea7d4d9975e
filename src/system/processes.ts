import { readFileSync } from 'node:fs';
import type { ProcessId } from '../model/process-id.ts';

export interface ProcessStat {
  readonly id: ProcessId;
  readonly parentPid: number;
  /** `Z` is a zombie: it has ended and waits for its parent. */
  readonly state: string;
}

/** From `/proc/PID/stat` (proc(5)); undefined where there is no such process. */
export function readProcess(pid: number): ProcessStat | undefined {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the command in parentheses and may itself hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid] = fields;
  const startTicks = fields[19];
  if (state === undefined || parentPid === undefined || startTicks === undefined) return undefined;
  return { id: { pid, startTicks: Number(startTicks) }, parentPid: Number(parentPid), state };
}

/**
 * How often the process was given a processor, `voluntary` and not, from `/proc/PID/status` (proc(5)). Whatever it does,
 * this grows; undefined where there is no such process.
 */
export function contextSwitches(id: ProcessId): number | undefined {
  const text = readProcFile(`/proc/${id.pid}/status`) ?? '';
  const counts = [...text.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)$/gm)];
  return counts.length === 2 ? counts.reduce((sum, [, count]) => sum + Number(count), 0) : undefined;
}

/** False for a zombie: nothing of it runs any more. */
export function isAlive(id: ProcessId): boolean {
  const found = readProcess(id.pid);
  return (
    found !== undefined && found.id.startTicks === id.startTicks && found.state !== 'Z' && found.state !== 'X'
  );
}

/** The live children of a process, as the kernel lists them. */
export function childrenOf(parent: ProcessId): readonly ProcessId[] {
  const text = readProcFile(`/proc/${parent.pid}/task/${parent.pid}/children`) ?? '';
  return text
    .split(' ')
    .filter((pid) => pid !== '')
    .map((pid) => readProcess(Number(pid)))
    .filter((found) => found !== undefined)
    .filter((found) => found.parentPid === parent.pid && found.state !== 'Z')
    .map((found) => found.id);
}

/**
 * Signals exactly this process; false where it is gone already, even if its pid now belongs to another. Between
 * the look and the signal a pid could in theory be reused: the kernel hands pids out in turn, so that takes a
 * whole round of them within microseconds.
 */
export function signalProcess(
  id: ProcessId,
  signal: 'SIGCHLD' | 'SIGHUP' | 'SIGUSR1' | 'SIGTERM' | 'SIGKILL',
): boolean {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, signal);
  } catch {
    return false;
  }
}

/** Tells boots and pid namespaces apart: in another one, the same pid and start time mean nothing. */
export function processEpoch(): string {
  const boot = readProcFile('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
  const init = readProcess(1)?.id.startTicks ?? 0;
  return `${boot}/${init}`;
}

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
