import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { openProcessRecord, processSchema } from '../../engine/supervise/process-record.ts';
import type { Log } from '../../engine/system/log.ts';
import {
  childrenOf,
  contextSwitches,
  isAlive,
  isStopped,
  type ProcessId,
  readProcess,
  signalProcess,
} from '../../engine/system/process/processes.ts';
import type { Vitals } from './state.ts';

/** A VRRP process whose parent was killed resigns within two seconds, and removes its addresses first. */
const REAP_PATIENCE_MS = 1_500;

/** keepalived's processes, recorded by pid and start time, so that the next supervisor can find them. */
export interface Processes {
  readonly started: (id: ProcessId) => void;
  /** Records the children, which cannot be found once the parent is gone. Undefined if the parent or its children do not run. */
  readonly poll: () => Vitals | undefined;
  /** Resolves once all processes have ended. Kills those that do not end by themselves. */
  readonly reap: () => Promise<void>;
  /** The parent that an earlier supervisor recorded, if it still runs. */
  readonly leftOver: () => ProcessId | undefined;
}

export const recordSchema = z.object({ parent: processSchema, children: z.readonly(z.array(processSchema)) });

export function createProcesses(path: string, log: Log): Processes {
  const file = openProcessRecord(path, recordSchema, log);
  let recorded = file.read();
  const record = (processes: z.infer<typeof recordSchema>): void => {
    recorded = processes;
    file.write(processes);
  };
  return {
    started: (parent) => record({ parent, children: [] }),
    poll: () => {
      if (recorded === undefined || !isAlive(recorded.parent)) return undefined;
      const children = childrenOf(recorded.parent);
      record({ ...recorded, children });
      return vitalsOf(recorded.parent, children);
    },
    reap: () => reap(recorded === undefined ? [] : [recorded.parent, ...recorded.children]),
    leftOver: () => (recorded !== undefined && isAlive(recorded.parent) ? recorded.parent : undefined),
  };
}

function vitalsOf(parent: ProcessId, children: readonly ProcessId[]): Vitals | undefined {
  const states = children.map(({ pid }) => readProcess(pid)?.state);
  const switches = children.map((child) => contextSwitches(child) ?? 0);
  if (children.length === 0) return undefined;
  return {
    switches: switches.reduce((sum, count) => sum + count, 0),
    starved: states.some((state) => state === 'R' || state === 'D'),
    stopped: [parent, ...children].some(isStopped),
  };
}

async function reap(processes: readonly ProcessId[]): Promise<void> {
  const end = performance.now() + REAP_PATIENCE_MS;
  while (processes.some(isAlive) && performance.now() < end) await pause(20);
  for (const id of processes) signalProcess(id, 'SIGKILL');
  while (processes.some(isAlive)) await pause(20);
}
