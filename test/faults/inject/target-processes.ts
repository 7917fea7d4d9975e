import { isAlive, type ProcessId } from '../../../src/engine/system/process/processes.ts';
import type { Target } from '../generate/catalogue.ts';
import type { KeptPart } from '../world/keeper.ts';
import type { Injection } from './injector.ts';

/** The live processes of a target, children first: a child that sees its parent die shuts down cleanly. Throws if there are none. */
export function targetProcesses({ world, node, variant }: Injection): readonly ProcessId[] {
  const part = (name: KeptPart) => world.keeper.part(node, name)?.id ?? [];
  const program = (name: 'haproxy' | 'keepalived') => node.running(name).toReversed();
  const all: Readonly<Record<Target, () => readonly ProcessId[]>> = {
    haproxy: () => program('haproxy'),
    'haproxy-supervisor': () => [part('haproxy')].flat(),
    'haproxy-container': () => [...program('haproxy'), ...[part('haproxy')].flat()],
    'haproxy-monitor': () => [part('haproxy-monitor')].flat(),
    keepalived: () => program('keepalived'),
    'keepalived-supervisor': () => [part('keepalived')].flat(),
    'keepalived-container': () => [...program('keepalived'), ...[part('keepalived')].flat()],
    'keepalived-monitor': () => [part('keepalived-monitor')].flat(),
    'api-server': () => [part('apiserver')].flat(),
  };
  const found = Object.hasOwn(all, variant) ? all[variant as Target]().filter(isAlive) : [];
  if (found.length === 0) throw new Error(`Cannot find "${variant}" on ${node.name}: nothing of it runs`);
  return found;
}
