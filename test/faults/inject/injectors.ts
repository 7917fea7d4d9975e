import type { FaultName } from '../generate/catalogue.ts';
import type { Injector } from './injector.ts';
import { kill, stop } from './kill.ts';
import { partition, powerOff, unplug } from './network.ts';
import { restartPod } from './restart-pod.ts';

export const injectors: Readonly<Record<FaultName, Injector>> = {
  kill,
  stop,
  'restart-pod': restartPod,
  'power-off': powerOff,
  unplug,
  partition,
};
