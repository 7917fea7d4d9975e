import type { Reason, Plan as SetPlan } from '../../src/engine/config/deploy-state.ts';
import type { RuntimeChange } from '../../src/haproxy/runtime/change.ts';
import { planBetween } from '../../src/haproxy/runtime/difference.ts';

type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'runtime'; readonly changes: readonly RuntimeChange[] }
  | ({ readonly kind: 'reload' } & Reason);

/** All or nothing: a reload, if any part needs one. */
export function planOf({
  changes,
  reload: [first],
}: Pick<SetPlan<RuntimeChange>, 'changes' | 'reload'>): Plan {
  if (first !== undefined) return { kind: 'reload', ...first };
  return changes.length === 0 ? { kind: 'nothing' } : { kind: 'runtime', changes };
}

/** The server changes from one haproxy.cfg to another; sessions on servers that are removed or moved are ended. */
export function differenceOf(before: string, after: string): Plan {
  const { changes, reload } = planBetween(
    { text: before, mode: 0o600 },
    { text: after, mode: 0o600 },
    () => undefined,
  );
  const ending = changes.map((change) => {
    if (!('mayFinish' in change)) return change;
    const { mayFinish: _, ...rest } = change;
    return rest;
  });
  return planOf({ changes: ending, reload });
}
