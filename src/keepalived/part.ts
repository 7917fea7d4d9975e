import { readFileSync } from 'node:fs';
import type { VipKind } from '../model/vrrp.ts';
import type { VrrpPart } from '../model/vrrp-holding.ts';
import { isInstanceOf } from '../model/vrrp-instances.ts';

/**
 * What keepalived of this node is in these instances, undefined for all, of one kind of VIP where that is given, as its supervisor wrote it down last: the best
 * of them counts. `apart` where nothing is written down: no supervisor, or none that has seen a transition. `now` is in
 * milliseconds of the Unix epoch.
 */
export function readPart(
  statePath: string,
  names: ReadonlySet<string> | undefined,
  now: number,
  kind?: VipKind,
): VrrpPart {
  const instances = readInstances(statePath).filter(
    ({ name }) => (names?.has(name) ?? true) && (kind === undefined || isInstanceOf(kind, name)),
  );
  const youngest = (state: string): number | undefined => {
    const ages = instances.flatMap((each) => (each.state === state ? now - each.sinceMs : []));
    return ages.length === 0 ? undefined : Math.min(...ages);
  };
  const holder = youngest('MASTER');
  if (holder !== undefined) return { role: 'holder', ageMs: holder };
  const backup = youngest('BACKUP');
  return backup === undefined ? { role: 'apart', ageMs: 0 } : { role: 'backup', ageMs: backup };
}

interface WrittenInstance {
  readonly name: string;
  readonly state: string;
  readonly sinceMs: number;
}

function readInstances(statePath: string): readonly WrittenInstance[] {
  try {
    const written: unknown = JSON.parse(readFileSync(statePath, 'utf8'));
    if (typeof written !== 'object' || written === null || !('instances' in written)) return [];
    return Array.isArray(written.instances) ? written.instances.filter(isInstance) : [];
  } catch {
    return [];
  }
}

function isInstance(instance: unknown): instance is WrittenInstance {
  if (typeof instance !== 'object' || instance === null) return false;
  if (!('name' in instance && 'state' in instance && 'sinceMs' in instance)) return false;
  const { name, state, sinceMs } = instance;
  return typeof name === 'string' && typeof state === 'string' && typeof sinceMs === 'number';
}
