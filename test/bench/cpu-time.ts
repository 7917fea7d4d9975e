import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10;

/** User and system time that a living process has used, in milliseconds: fields 14 and 15 of its `stat` (proc(5)). */
export function cpuMsOf(pid: number): number {
  return msIn(pid, 11);
}

/** The same of its children that have ended and were waited for, and of theirs: fields 16 and 17. */
export function childCpuMsOf(pid: number): number {
  return msIn(pid, 13);
}

/** The sum of two fields that count ticks; the first one is counted from behind the name. */
function msIn(pid: number, index: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[index]) + Number(fields[index + 1])) * MS_PER_TICK;
}

/** The same to the nanosecond, of the threads that still run: for a process that ends none (sched-stats.rst). */
export function threadCpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}
