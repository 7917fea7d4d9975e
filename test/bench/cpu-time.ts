import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10;

/** User and system time of a live process in milliseconds: fields 14 and 15 of its `stat` (proc(5)). */
export function cpuMsOf(pid: number): number {
  return msIn(pid, 11);
}

/** The same for its children that have exited and been waited for, and for theirs: fields 16 and 17. */
export function childCpuMsOf(pid: number): number {
  return msIn(pid, 13);
}

/** The sum of two fields in ticks. `index` counts from the first field after the name. */
function msIn(pid: number, index: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[index]) + Number(fields[index + 1])) * MS_PER_TICK;
}

/** The same with nanosecond resolution, but only for running threads: use it for a process that ends none (sched-stats.rst). */
export function threadCpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}
