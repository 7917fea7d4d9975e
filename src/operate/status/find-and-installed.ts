import { type FoundInstances, findInstances } from '../../engine/examine/find-instances.ts';
import { type InstalledInstance, installedInstances } from '../install/installed-instances.ts';
import type { Limits } from './product-status.ts';

/**
 * The instances that run and those that are installed, each once. A program that announces no page is asked where it was installed
 * to have one: it is shown as silent, not left out. Never rejects.
 */
export async function findAndInstalled(limits: Limits): Promise<FoundInstances> {
  return withInstalled(await findInstances(limits), installedInstances('/'));
}

/** In the order of their names. What a running program says counts before its installation. */
export function withInstalled(
  { instances, leftOut }: FoundInstances,
  installed: readonly InstalledInstance[],
): FoundInstances {
  const byName = [...Map.groupBy([...installed, ...instances], ({ name }) => name)];
  return {
    instances: byName
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => ({ name, pages: Object.assign({}, ...each.map(({ pages }) => pages)) })),
    leftOut,
  };
}
