import type { FaultName } from '../generate/catalogue.ts';
import { apiFault, apiLie, apiLieEverywhere } from './api.ts';
import { clockJump } from './clock-jump.ts';
import { exhaustProcesses, starve } from './control-group.ts';
import { damageInput, damageOutput } from './damage-file.ts';
import { fillDisk } from './fill-disk.ts';
import type { Injector } from './injector.ts';
import { kill, stop } from './kill.ts';
import { exhaustDescriptors } from './limits.ts';
import { partition, powerOff, replaceNode, unplug } from './network.ts';
import { byHand, order, reloadStorm, removeMember } from './operator.ts';
import { restartPod } from './restart-pod.ts';
import { badCable } from './traffic.ts';

export const injectors: Readonly<Record<FaultName, Injector>> = {
  kill,
  stop,
  'restart-pod': restartPod,
  'power-off': powerOff,
  unplug,
  partition,
  'bad-cable': badCable,
  starve,
  'clock-jump': clockJump,
  'fill-disk': fillDisk,
  'exhaust-descriptors': exhaustDescriptors,
  'exhaust-processes': exhaustProcesses,
  'damage-output': damageOutput,
  'damage-input': damageInput,
  'api-fault': apiFault,
  'api-lie': apiLie,
  'api-lie-everywhere': apiLieEverywhere,
  'remove-member': removeMember,
  'replace-node': replaceNode,
  'reload-storm': reloadStorm,
  order,
  'by-hand': byHand,
};
