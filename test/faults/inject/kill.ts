import { sendSignal } from '../../helpers/vrrp/bed-process.ts';
import { type Injector, nothingToUndo } from './injector.ts';
import { targetProcesses } from './target-processes.ts';

export const kill: Injector = async (injection) => {
  sendSignal(targetProcesses(injection), 'SIGKILL');
  return nothingToUndo;
};

/** At the end, the stopped processes resume, except those replaced meanwhile by the product or the kubelet. */
export const stop: Injector = async (injection) => {
  const ids = targetProcesses(injection);
  sendSignal(ids, 'SIGSTOP');
  return async () => sendSignal(ids, 'SIGCONT');
};
