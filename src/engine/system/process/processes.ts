import { readFileSync } from 'node:fs';
import { codeOf, messageOf } from '../errors.ts';
import { readText } from '../file/read-regular-file.ts';

/**
 * Identifies a process unambiguously. The kernel reuses pids, but not together with the start time (field 22 of `/proc/PID/stat`, clock ticks since
 * boot).
 */
export interface ProcessId {
  readonly pid: number;
  readonly startTicks: number;
}

interface ProcessStat {
  readonly id: ProcessId;
  readonly parentPid: number;
  /** `Z` is a zombie: a process that has ended and waits for its parent. */
  readonly state: string;
}

/** Reads `/proc/PID/stat` (proc(5)). Undefined if there is no such process, or it cannot be read. */
export function readProcess(pid: number): ProcessStat | undefined {
  return parseStat(pid, readText(`/proc/${pid}/stat`));
}

function parseStat(pid: number, text: string): ProcessStat | undefined {
  // The second field is the command in parentheses, and may itself contain blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid] = fields;
  const startTicks = fields[19];
  if (state === undefined || parentPid === undefined || startTicks === undefined) return undefined;
  return { id: { pid, startTicks: Number(startTicks) }, parentPid: Number(parentPid), state };
}

/**
 * Number of context switches, voluntary or not, from `/proc/PID/status` (proc(5)). It grows whatever the process does. Undefined if there is no such
 * process.
 */
export function contextSwitches(id: ProcessId): number | undefined {
  const text = readText(`/proc/${id.pid}/status`);
  const counts = [...text.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)$/gm)];
  return counts.length === 2 ? counts.reduce((sum, [, count]) => sum + Number(count), 0) : undefined;
}

/** Resident memory of these processes, from `/proc/PID/status`. A missing process counts 0; shared memory counts for each process. */
export function residentBytes(ids: readonly ProcessId[]): number {
  return ids.reduce((sum, { pid }) => {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`)) ?? [];
    return sum + Number(kibibytes) * 1_024;
  }, 0);
}

/**
 * Whether the process lives. False for a zombie. True if that cannot be determined because no descriptor is free: a live process must not be declared
 * dead.
 */
export function isAlive(id: ProcessId): boolean {
  try {
    return isAliveForSure(id);
  } catch {
    return true;
  }
}

/** Like `isAlive`, but throws if it cannot be determined. */
function isAliveForSure({ pid, startTicks }: ProcessId): boolean {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return false;
    throw new Error(`Cannot inspect process ${pid}: ${messageOf(error)}`, { cause: error });
  }
  const stat = parseStat(pid, text);
  return stat !== undefined && stat.id.startTicks === startTicks && !/^[ZX]$/.test(stat.state);
}

/** Whether the process is stopped, by SIGSTOP or a debugger. */
export function isStopped({ pid }: ProcessId): boolean {
  const state = readProcess(pid)?.state;
  return state === 'T' || state === 't';
}

/** The live children of a process, as listed by the kernel. */
export function childrenOf(parent: ProcessId): readonly ProcessId[] {
  const text = readText(`/proc/${parent.pid}/task/${parent.pid}/children`);
  return text
    .split(' ')
    .filter((pid) => pid !== '')
    .map((pid) => readProcess(Number(pid)))
    .filter((found) => found !== undefined)
    .filter((found) => found.parentPid === parent.pid && found.state !== 'Z')
    .map((found) => found.id);
}

/**
 * Signals exactly this process. Returns false if it is gone, even if its pid was reused. In theory the pid could be reused between check and signal,
 * but the kernel allocates pids in sequence, so that takes a full wrap within microseconds. Throws if the check fails, so another process is never
 * signalled.
 */
export function signalProcess(
  id: ProcessId,
  signal: 'SIGCHLD' | 'SIGHUP' | 'SIGUSR1' | 'SIGTERM' | 'SIGKILL',
): boolean {
  if (!isAliveForSure(id)) return false;
  try {
    return process.kill(id.pid, signal);
  } catch {
    return false;
  }
}

/** Identifies the boot and the pid namespace. In another one the same pid and start time mean nothing. */
export function processEpoch(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim() || 'unknown';
  const init = readProcess(1)?.id.startTicks ?? 0;
  return `${boot}/${init}`;
}
