import type { Injector } from './injector.ts';

export const powerOff: Injector = async ({ world, node }) => {
  await world.powerOff(node);
  return () => world.powerOn(node);
};

/** The API drops the node before its machine is gone, and lists it again once the new machine is installed. */
export const replaceNode: Injector = async ({ world, node }) => {
  world.setMembers(world.nodes.filter((each) => each !== node));
  await world.powerOff(node);
  world.wipe(node);
  return async () => {
    await world.install(node);
    world.setMembers(world.nodes);
  };
};

export const unplug: Injector = async ({ world, node }) => {
  await world.bed.unplug(node);
  return () => world.bed.plug(node);
};

export const partition: Injector = async ({ world, node, variant }) => {
  await world.bed.split(variant === 'node' ? [node] : [node, 'client']);
  return async () => void (await world.bed.heal());
};
