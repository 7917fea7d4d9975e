import type { VipKind } from '../../keepalived/vip-kind.ts';
import { readStateFile } from '../../keepalived/vrrp-state-file.ts';
import type { KeepalivedModel, VrrpInstance } from './vrrp.ts';
import { isInstanceOf } from './vrrp-instances.ts';

/**
 * This node's best VRRP role in the instances of one kind of VIP, from the supervisor's state file. `none` if the file has no
 * state: there is no supervisor, it has recorded no transition, or the file has another version. `now` is in milliseconds of the
 * Unix epoch.
 */
export function readLocalVrrpRole(statePath: string, kind: VipKind, now: number): LocalVrrpRole {
  const instances = readStateFile(statePath).filter(({ name }) => isInstanceOf(kind, name));
  const youngest = (state: string): number | undefined => {
    const ages = instances.flatMap((each) => (each.state === state ? now - each.sinceMs : []));
    return ages.length === 0 ? undefined : Math.min(...ages);
  };
  const holder = youngest('MASTER');
  if (holder !== undefined) return { role: 'holder', ageMs: holder };
  const backup = youngest('BACKUP');
  return backup === undefined ? { role: 'none', ageMs: 0 } : { role: 'backup', ageMs: backup };
}

/** The instances in which this node holds the VIP. */
export function heldInstances(
  statePath: string,
  model: KeepalivedModel | undefined,
): readonly VrrpInstance[] {
  const held = readStateFile(statePath).flatMap(({ name, state }) => (state === 'MASTER' ? name : []));
  return model?.instances.filter(({ name }) => held.includes(name)) ?? [];
}

/** The best role of keepalived's instances on this node; `none` if no instance is MASTER or BACKUP. */
export interface LocalVrrpRole {
  readonly role: 'holder' | 'backup' | 'none';
  /** How long this node has had the role, by the wall clock. */
  readonly ageMs: number;
}

/** Whether this node counts as the holder. `hiddenSinceMs`: when a holder that still counts was last not reported as MASTER. */
export type Holding =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly hiddenSinceMs: number | undefined };

export const initialHolding: Holding = { kind: 'none' };

/** During a reload keepalived reports a MASTER as BACKUP for 20 to 60 ms, longer on a busy machine. */
const HIDDEN_AT_MOST_MS = 500;

/**
 * The state after one more observation, at `nowMs` of the monotonic clock. A holder that has just become a backup still counts
 * as the holder: if it lost its bonus at every reload, the VIP would go to a node with a higher base priority. A holder that was
 * really beaten keeps the bonus, which did not prevent that, for at most half a second, even if the observation is late or the wall
 * clock is wrong. A node that fails or stops loses the role at once: it must not return with a bonus and take the VIP from its successor.
 */
export function nextHolding(holding: Holding, { role, ageMs }: LocalVrrpRole, nowMs: number): Holding {
  if (role === 'holder') return { kind: 'held', hiddenSinceMs: undefined };
  if (role === 'none' || holding.kind === 'none') return { kind: 'none' };
  // Each observation may fall into a different reload, so the age counts. A negative age means that the clock was set back.
  const hiddenSinceMs = ageMs >= 0 ? nowMs - ageMs : (holding.hiddenSinceMs ?? nowMs);
  const hiddenMs = nowMs - hiddenSinceMs;
  return hiddenMs < HIDDEN_AT_MOST_MS ? { kind: 'held', hiddenSinceMs } : { kind: 'none' };
}
