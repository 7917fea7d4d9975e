import type { Injector } from './injector.ts';

export const powerOff: Injector = async ({ world, node }) => {
  await world.powerOff(node);
  return () => world.powerOn(node);
};

export const unplug: Injector = async ({ world, node }) => {
  await world.bed.unplug(node);
  return () => world.bed.plug(node);
};

export const partition: Injector = async ({ world, node, variant }) => {
  await world.bed.split(variant === 'node' ? [node] : [node, 'client']);
  return async () => void (await world.bed.heal());
};
