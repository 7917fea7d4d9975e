import * as z from 'zod/mini';
import { readText } from '../../engine/system/file/read-regular-file.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { LocalVrrpRole } from './vrrp-holding.ts';
import { isInstanceOf } from './vrrp-instances.ts';

/**
 * This node's VRRP role, from its supervisor's state file: the best role among `names` (all instances where undefined), of
 * one kind of VIP where that is given. `none` where nothing is written down: no supervisor, none that has seen a
 * transition, or one whose file has another version. `now` is in milliseconds of the Unix epoch.
 */
export function readLocalVrrpRole(
  statePath: string,
  names: ReadonlySet<string> | undefined,
  now: number,
  kind?: VipKind,
): LocalVrrpRole {
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
  return backup === undefined ? { role: 'none', ageMs: 0 } : { role: 'backup', ageMs: backup };
}

const stateFile = z.object({
  version: z.optional(z.literal(1)),
  instances: z.array(z.object({ name: z.string(), state: z.string(), sinceMs: z.number() })),
});

function readInstances(statePath: string): z.infer<typeof stateFile>['instances'] {
  return stateFile.safeParse(parseJson(readText(statePath))).data?.instances ?? [];
}
