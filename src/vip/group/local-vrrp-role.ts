import * as z from 'zod/mini';
import { readText } from '../../engine/system/file/read-regular-file.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel, VrrpInstance } from './vrrp.ts';
import { isInstanceOf } from './vrrp-instances.ts';

/**
 * This node's best VRRP role in the instances of one kind of VIP, from its supervisor's state file. `none` where nothing is
 * written down: no supervisor, none that has seen a transition, or one whose file has another version. `now` is in
 * milliseconds of the Unix epoch.
 */
export function readLocalVrrpRole(statePath: string, kind: VipKind, now: number): LocalVrrpRole {
  const instances = readInstances(statePath).filter(({ name }) => isInstanceOf(kind, name));
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
  const held = readInstances(statePath).flatMap(({ name, state }) => (state === 'MASTER' ? name : []));
  return model?.instances.filter(({ name }) => held.includes(name)) ?? [];
}

const stateFile = z.object({
  version: z.optional(z.literal(1)),
  instances: z.array(z.object({ name: z.string(), state: z.string(), sinceMs: z.number() })),
});

function readInstances(statePath: string): z.infer<typeof stateFile>['instances'] {
  return stateFile.safeParse(parseJson(readText(statePath))).data?.instances ?? [];
}

/** The best role of keepalived's instances on this node; `none` if it competes for nothing or reports nothing. */
export interface LocalVrrpRole {
  readonly role: 'holder' | 'backup' | 'none';
  /** For how long, by the wall clock. */
  readonly ageMs: number;
}

/** Whether this node counts as the holder. `hiddenSinceMs`: since when it has not been seen as one, though it counts. */
export type Holding =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly hiddenSinceMs: number | undefined };

export const initialHolding: Holding = { kind: 'none' };

/** A reload shows MASTER as BACKUP for 20 to 60 ms, longer on a busy machine. */
const HIDDEN_AT_MOST_MS = 500;

/**
 * The state after one more look, at `nowMs` of the monotonic clock. A holder that has only just become a backup stays
 * one: a bonus that went with every reload would hand the VIP to a node with a higher priority of its own. One that was
 * really beaten keeps for half a second a bonus with which it was beaten, and no longer, however late the look or wrong
 * the wall clock. A node that fails or stops loses the role at once: it must not come back with a bonus and take the VIP from its
 * successor.
 */
export function nextHolding(holding: Holding, { role, ageMs }: LocalVrrpRole, nowMs: number): Holding {
  if (role === 'holder') return { kind: 'held', hiddenSinceMs: undefined };
  if (role === 'none' || holding.kind === 'none') return { kind: 'none' };
  // Each look may fall into a different reload, which its age shows. A negative age means that the clock was set back.
  const hiddenSinceMs = ageMs >= 0 ? nowMs - ageMs : (holding.hiddenSinceMs ?? nowMs);
  const hiddenMs = nowMs - hiddenSinceMs;
  return hiddenMs < HIDDEN_AT_MOST_MS ? { kind: 'held', hiddenSinceMs } : { kind: 'none' };
}
