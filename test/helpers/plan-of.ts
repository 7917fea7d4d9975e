import type { RuntimeChange } from '../../src/haproxy/runtime/change.ts';
import { type Difference, difference } from '../../src/haproxy/runtime/difference.ts';
import type { Reason } from '../../src/haproxy/runtime/plan.ts';

type Plan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'runtime'; readonly changes: readonly RuntimeChange[] }
  | ({ readonly kind: 'reload' } & Reason);

/** All or nothing: a reload, if any part needs one. */
export function planOf({ tell: changes, reload: [first] }: Pick<Difference, 'tell' | 'reload'>): Plan {
  if (first !== undefined) return { kind: 'reload', ...first };
  return changes.length === 0 ? { kind: 'nothing' } : { kind: 'runtime', changes };
}

/** The changes of servers from one haproxy.cfg to another; sessions on those that go or move are ended. */
export function differenceOf(before: string, after: string): Plan {
  const { tell, reload } = difference({ text: before }, { text: after }, () => undefined);
  const ending = tell.map((change) => {
    if (!('mayFinish' in change)) return change;
    const { mayFinish: _, ...rest } = change;
    return rest;
  });
  return planOf({ tell: ending, reload });
}
