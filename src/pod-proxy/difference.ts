import { type KnownSet, setDifferenceOf } from '../haproxy/runtime/difference.ts';
import type { Plan } from '../haproxy/runtime/plan.ts';

/**
 * How to get from one set to another; every file except haproxy.cfg is a certificate. Names like `web-{{loop.index}}` move to another pod
 * whenever a pod is removed, and the pods that stay must not lose a connection.
 */
export function gentleDifference(before: KnownSet | undefined, after: KnownSet): Plan {
  return setDifferenceOf(before, after, () => 'certificate');
}
