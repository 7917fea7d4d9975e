import { entriesOf, readText } from '../file/read-regular-file.ts';
import type { ProcessId } from './processes.ts';

export interface ThreadVitals {
  readonly tid: number;
  /** As in proc(5): `R` runs or waits for a CPU, `D` waits inside the kernel, `S` sleeps, `T` is stopped. */
  readonly state: string;
  readonly cpuMs: number;
  /** Number of voluntary context switches. */
  readonly sleeps: number;
}

/** The kernel's USER_HZ, which is 100 wherever Node runs. */
const MS_PER_TICK = 10;

/** The threads of a process. Empty if the process is gone or cannot be read. */
export function readThreads({ pid }: ProcessId): readonly ThreadVitals[] {
  return entriesOf(`/proc/${pid}/task`).flatMap((tid) => {
    const stat = readText(`/proc/${pid}/task/${tid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    const ticks = Number(fields[11]) + Number(fields[12]);
    const status = readText(`/proc/${pid}/task/${tid}/status`);
    const sleeps = Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
    if (state === undefined || Number.isNaN(ticks) || Number.isNaN(sleeps)) return [];
    return [{ tid: Number(tid), state, cpuMs: ticks * MS_PER_TICK, sleeps }];
  });
}

/** One readable line: the state of each thread and its position in the kernel, as far as permissions allow. */
export function describeProcess(id: ProcessId): string {
  const threads = readThreads(id).map(({ tid, state, cpuMs, sleeps }) => {
    const [waitsIn, call] = ['wchan', 'syscall'].map((file) =>
      readText(`/proc/${id.pid}/task/${tid}/${file}`).trim(),
    );
    return `thread ${tid} ${state} wchan=${waitsIn || '?'} syscall=${call || '?'} cpu=${cpuMs}ms sleeps=${sleeps}`;
  });
  const memory = /^VmRSS:\s+(.+)$/m.exec(readText(`/proc/${id.pid}/status`))?.[1] ?? '?';
  return `pid ${id.pid} rss=${memory}: ${threads.join(', ') || 'gone'}`;
}
