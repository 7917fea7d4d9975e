import { type Difference, difference, type KnownSet, planOf } from '../haproxy/runtime/difference.ts';
import type { Plan } from '../haproxy/runtime/plan.ts';

/**
 * How to get from one set to another; every file except haproxy.cfg is a certificate. Names like `web-{{loop.index}}` move to another pod
 * whenever a pod is removed, and the pods that stay must not lose a connection.
 */
export function podProxyDifference(before: KnownSet | undefined, after: KnownSet): Difference {
  return difference(before, after, () => 'certificate');
}

/** The same, as one plan for the whole set. */
export function gentleDifference(before: KnownSet | undefined, after: KnownSet): Plan {
  return planOf(podProxyDifference(before, after));
}
