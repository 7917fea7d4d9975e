import type { Difference } from '../engine/apply/applier.ts';
import { describeConfiguration } from '../haproxy/runtime/describe-configuration.ts';
import { differenceOf } from '../haproxy/runtime/difference.ts';

/**
 * HAProxy is told of servers that come. For one that goes or moves it reloads: connections with a pod that was asked to end
 * may finish on the generation of before, while a server that is removed at run time loses them.
 */
export function additions(before: string, after: string): Difference {
  const plan = differenceOf(before, after);
  if (plan.kind !== 'runtime') return plan;
  const running = describeConfiguration(before)?.servers;
  const kept = plan.changes.find(({ server, wanted }) => wanted === null || running?.has(server) !== false);
  if (kept === undefined) return plan;
  return { kind: 'reload', what: 'server-changed', reason: `server "${kept.server}" goes or moves` };
}
