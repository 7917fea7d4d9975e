import type { Faults } from '../../helpers/api-server/faults.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { World } from '../world/world.ts';
import type { Injector } from './injector.ts';

const wrong: Readonly<Record<string, Partial<Faults>>> = {
  stall: { stall: true },
  'silent-watch': { silentWatch: true },
  reset: { reset: true },
  'error-500': { error500: true },
  'not-ready': { notReady: true },
  refuse: { refuse: true },
  slow: { slowMs: 3_000 },
  'cut-watch': { resetMidLine: true },
  'garbage-watch': { nextWatchBytes: '{"type":"ADDED","object":{"kind":"No\u0000\n}}}\n' },
};

export const apiFault: Injector = async ({ world, node, variant }) => {
  world.setApiFaults(node, wrong[variant] ?? {});
  return async () => world.setApiFaults(node, {});
};

export const apiLie: Injector = async ({ world, node, variant }) => lie(world, [node], variant);

export const apiLieEverywhere: Injector = async ({ world, variant }) => lie(world, world.nodes, variant);

async function lie(world: World, nodes: readonly BedNode[], variant: string) {
  for (const node of nodes) world.setApiFaults(node, { lie: lieOf(variant) });
  return async () => {
    for (const node of nodes) world.setApiFaults(node, {});
  };
}

function lieOf(variant: string): Faults['lie'] {
  switch (variant) {
    case 'empty':
    case 'half':
    case 'old':
    case 'huge':
    case 'invalid':
      return variant;
    default:
      throw new Error(`Cannot lie in the way "${variant}"`);
  }
}
