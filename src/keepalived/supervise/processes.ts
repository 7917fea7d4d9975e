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

/** keepalived's processes, identified by pid and start time, so that the next supervisor knows them too. */
export interface Processes {
  readonly started: (id: ProcessId) => void;
  /** Records the children: once the parent is gone, they cannot be found any more. Undefined if nothing is visible. */
  readonly look: () => Vitals | undefined;
  /** Resolves once all processes are gone; those that do not end are killed. */
  readonly reap: () => Promise<void>;
  /** The parent that an earlier supervisor recorded, if it still runs. */
  readonly leftOver: () => ProcessId | undefined;
}

export const recordSchema = z.object({ parent: processSchema, children: z.readonly(z.array(processSchema)) });

export function createProcesses(path: string, log: Log): Processes {
  const file = openProcessRecord(path, recordSchema, log);
  let known = file.read();
  const remember = (record: z.infer<typeof recordSchema>): void => {
    known = record;
    file.write(record);
  };
  return {
    started: (parent) => remember({ parent, children: [] }),
    look: () => {
      if (known === undefined || !isAlive(known.parent)) return undefined;
      const children = childrenOf(known.parent);
      remember({ ...known, children });
      return vitalsOf(known.parent, children);
    },
    reap: () => reap(known === undefined ? [] : [known.parent, ...known.children]),
    leftOver: () => (known !== undefined && isAlive(known.parent) ? known.parent : undefined),
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
