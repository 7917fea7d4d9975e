import type { ApiServer } from '../../engine/kube/api-server.ts';
import { createSource } from '../../engine/kube/control-plane/create-source.ts';
import { readLastKnown } from '../../engine/kube/control-plane/last-known.ts';
import { type LookupSettings, sourceSettings } from '../../engine/kube/control-plane/lookup-settings.ts';
import type { Observation } from '../../engine/kube/control-plane/source.ts';
import {
  decideDesired,
  recordObserved,
  startDesired,
} from '../../engine/reconcile/servers/desired-servers.ts';

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
  lookup: LookupSettings,
  lastKnownPath: string,
  timeoutMs: number,
): Promise<ListNow> {
  const known = await readLastKnown(lastKnownPath);
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const observation = await firstObservation(lookup, lastKnown ?? [], timeoutMs);
  if (observation.kind === 'unavailable')
    return lastKnown === undefined
      ? { kind: 'unknown', reason: observation.message }
      : { kind: 'known', servers: lastKnown, from: lastKnownPath, held: undefined };
  // Pretends that the settling time has passed.
  const desired = recordObserved(startDesired(lastKnown), observation, 0);
  const decision = decideDesired(desired, 0, 0);
  if (decision.kind !== 'hold')
    return { kind: 'known', servers: observation.servers, from: observation.from, held: undefined };
  return lastKnown === undefined
    ? { kind: 'unknown', reason: `${observation.from} gives a list that is held back: ${decision.reason}` }
    : { kind: 'known', servers: lastKnown, from: lastKnownPath, held: decision.reason };
}

async function firstObservation(
  lookup: LookupSettings,
  lastKnown: readonly ApiServer[],
  timeoutMs: number,
): Promise<Observation> {
  const signal = AbortSignal.timeout(timeoutMs);
  const source = createSource(sourceSettings(lookup, lastKnown, () => undefined));
  for await (const observation of source.observe(signal)) return observation;
  return { kind: 'unavailable', message: `no API server answered within ${timeoutMs} ms` };
}
