import { type KnownSet, setDifferenceOf } from '../haproxy/runtime/difference.ts';
import type { Plan } from '../haproxy/runtime/plan.ts';

/**
 * How to come from one set to another: all files beside haproxy.cfg are certificates. Names like `web-{{loop.index}}` move from pod to pod
 * whenever one of them goes, and a pod that stays must not lose a connection.
 */
export function gentleDifference(before: KnownSet | undefined, after: KnownSet): Plan {
  return setDifferenceOf(before, after, () => 'certificate');
}
