import type { Plan } from '../engine/config/deploy-state.ts';
import type { Rendered } from '../engine/config/set.ts';
import { planBetween } from '../haproxy/runtime/difference.ts';

/**
 * How to get from one set to another; every file except haproxy.cfg is a certificate. Names like `web-{{loop.index}}` move to another pod
 * whenever a pod is removed, and the pods that stay must not lose a connection.
 */
export function podProxyDifference(running: Rendered, wanted: Rendered): Plan {
  return planBetween(running, wanted, () => 'certificate');
}
