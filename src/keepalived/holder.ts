import { readFileSync } from 'node:fs';

/**
 * Whether keepalived of this node is MASTER of any of these instances, as its supervisor wrote it down last. False
 * where nothing is written down: no supervisor, or none that has seen a transition.
 */
export function isHolder(statePath: string, instances: ReadonlySet<string>): boolean {
  try {
    const state: unknown = JSON.parse(readFileSync(statePath, 'utf8'));
    return instancesOf(state).some((each) => isMaster(each) && instances.has(each.name));
  } catch {
    return false;
  }
}

function instancesOf(state: unknown): readonly unknown[] {
  if (typeof state !== 'object' || state === null || !('instances' in state)) return [];
  return Array.isArray(state.instances) ? state.instances : [];
}

function isMaster(instance: unknown): instance is { readonly name: string } {
  if (typeof instance !== 'object' || instance === null) return false;
  return (
    'name' in instance &&
    typeof instance.name === 'string' &&
    'state' in instance &&
    instance.state === 'MASTER'
  );
}
