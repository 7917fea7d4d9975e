import { describeConfiguration } from '../haproxy/runtime/describe-configuration.ts';
import { type KnownSet, setDifferenceOf } from '../haproxy/runtime/difference.ts';
import type { Plan } from '../haproxy/runtime/plan.ts';

/**
 * As `setDifferenceOf`, but connections with a server that goes or moves may finish: a pod that was asked to end has time for what it has
 * begun. Names like `web-{{loop.index}}` move from pod to pod whenever one of them goes, and a pod that stays must not lose a connection.
 * All files beside haproxy.cfg are certificates.
 */
export function gentleDifference(before: KnownSet | undefined, after: KnownSet): Plan {
  const found = setDifferenceOf(before, after, () => 'certificate');
  if (found.kind !== 'runtime' || before === undefined) return found;
  const running = describeConfiguration(before.text)?.servers;
  const changes = found.changes.map((change) => {
    const options = change.kind === 'server' ? running?.get(change.server)?.options : undefined;
    return options === undefined ? change : { ...change, mayFinish: { options } };
  });
  return { kind: 'runtime', changes };
}
