import type { Injector } from './injector.ts';

const HOUR_MS = 3_600_000;

export const clockJump: Injector = async ({ world, node, variant }) => {
  world.clocks.set(node, variant === 'ahead' ? HOUR_MS : -HOUR_MS);
  return async () => world.clocks.set(node, 0);
};
