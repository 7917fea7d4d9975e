import { setTimeout as delay } from 'node:timers/promises';
import { countKinds, memoryOf, type TreeProcess } from '../../helpers/process-tree.ts';

export interface ProcessPeaks {
  readonly masters: number;
  readonly workers: number;
  /** Everything except HAProxy and its checks: the supervisor itself, shells, sleeps, socats. */
  readonly others: number;
  readonly pssMb: number;
  /** The number of different HAProxy masters, including those running at the start. */
  readonly mastersSeen: number;
}

export interface ProcessWatch {
  stop(): Promise<ProcessPeaks>;
}

/** Samples the subject's processes every `everyMs`, and their memory whenever there are at least as many as ever before. */
export function watchProcesses(look: () => readonly TreeProcess[], everyMs: number): ProcessWatch {
  const seen = new Set<string>();
  const peak = { masters: 0, workers: 0, others: 0, pssMb: 0 };
  let most = 0;
  let stopped = false;
  const observe = () => {
    const processes = look();
    const counts = countKinds(processes);
    for (const { id, kind } of processes)
      if (kind === 'haproxy-master') seen.add(`${id.pid}/${id.startTicks}`);
    peak.masters = Math.max(peak.masters, counts['haproxy-master']);
    peak.workers = Math.max(peak.workers, counts['haproxy-worker']);
    peak.others = Math.max(peak.others, counts.node + counts.other);
    if (processes.length < most) return;
    most = processes.length;
    peak.pssMb = Math.max(peak.pssMb, memoryOf(processes).pss / 1_024);
  };
  const loop = (async () => {
    while (!stopped) {
      observe();
      await delay(everyMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
      return { ...peak, mastersSeen: seen.size };
    },
  };
}
