import type { Difference } from '../engine/apply/bring-into-service.ts';
import { describeConfiguration } from '../haproxy/runtime/describe-configuration.ts';
import { differenceOf } from '../haproxy/runtime/difference.ts';

/**
 * As `differenceOf`, but connections with a server that goes or moves may finish: a pod that was asked to end has time for what it has
 * begun. Names like `web-{{loop.index}}` move from pod to pod whenever one of them goes, and a pod that stays must not lose a connection.
 */
export function gentleDifference(before: string, after: string): Difference {
  const found = differenceOf(before, after);
  if (found.kind !== 'runtime') return found;
  const running = describeConfiguration(before)?.servers;
  const changes = found.changes.map((change) => {
    const options = change.kind === 'server' ? running?.get(change.server)?.options : undefined;
    return options === undefined ? change : { ...change, mayFinish: { options } };
  });
  return { kind: 'runtime', changes };
}
