import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { type Injector, nothingToUndo } from './injector.ts';
import { targetProcesses } from './target-processes.ts';

export const kill: Injector = async (injection) => {
  sendSignal(targetProcesses(injection), 'SIGKILL');
  return nothingToUndo;
};

/** Processes that the product or the kubelet replaced meanwhile are gone; the others resume. */
export const stop: Injector = async (injection) => {
  const ids = targetProcesses(injection);
  sendSignal(ids, 'SIGSTOP');
  return async () => sendSignal(ids, 'SIGCONT');
};
