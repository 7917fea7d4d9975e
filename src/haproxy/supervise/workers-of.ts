import { childrenOf, isAlive, type ProcessId } from '../../engine/system/process/processes.ts';
import type { Processes } from './state.ts';

/** The workers of a generation that are alive: the recorded ones, or those of a master that has replaced them since (SIGUSR2 and SIGHUP reload it). */
export function workersOf({ master, workers }: Processes): readonly ProcessId[] {
  const recorded = workers.filter(isAlive);
  return recorded.length > 0 ? recorded : childrenOf(master).filter(isAlive);
}
