import { type ApiServer, endpointOf } from '../../engine/kube/api-server.ts';
import { observeOnce } from '../../engine/kube/control-plane/source.ts';
import {
  decideDesired,
  recordObserved,
  startDesired,
} from '../../engine/reconcile/servers/desired-servers.ts';
import { readLastKnown } from '../../engine/reconcile/servers/last-known.ts';

/** The list that a monitor would serve now. */
export type ListNow =
  | {
      readonly kind: 'known';
      readonly servers: readonly ApiServer[];
      /** An API server's URL, `--servers`, or the list of an earlier run. */
      readonly from: string;
      /** Why the loss guard holds the list back. */
      readonly held: string | undefined;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Asks and decides as the monitor does. Never rejects. */
export async function listNow(
  lookup: Parameters<typeof observeOnce>[0],
  lastKnownPath: string,
  timeoutMs: number,
): Promise<ListNow> {
  const known = await readLastKnown(lastKnownPath);
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const fallbacks = (lastKnown ?? []).map(endpointOf);
  const signal = AbortSignal.timeout(timeoutMs);
  const observation = (await observeOnce(lookup, fallbacks, () => undefined, signal)) ?? {
    kind: 'unavailable',
    message: `no API server answered within ${timeoutMs} ms`,
  };
  if (observation.kind === 'unavailable')
    return lastKnown === undefined
      ? { kind: 'unknown', reason: observation.message }
      : { kind: 'known', servers: lastKnown, from: lastKnownPath, held: undefined };
  // Pretends that the settling time has passed.
  const desired = recordObserved(startDesired(lastKnown, 0), observation, 0);
  const decision = decideDesired(desired, 0);
  if (decision.kind !== 'hold')
    return { kind: 'known', servers: observation.servers, from: observation.from, held: undefined };
  return lastKnown === undefined
    ? { kind: 'unknown', reason: `${observation.from} gives a list that is held back: ${decision.reason}` }
    : { kind: 'known', servers: lastKnown, from: lastKnownPath, held: decision.reason };
}
