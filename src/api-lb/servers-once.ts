import { type ApiServer, endpointOf } from '../engine/kube/api-server.ts';
import { observeOnce } from '../engine/kube/control-plane/source.ts';
import type { Log } from '../engine/observe/logger.ts';
import { readLastKnown } from '../engine/reconcile/servers/last-known.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';

/** For commands that run once: the current list, else the last-known one, else undefined. */
export async function serversOnce(
  settings: HaproxyMonitorSettings,
  log: Log,
): Promise<readonly ApiServer[] | undefined> {
  const known = await readLastKnown(settings.lastKnownPath);
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const fallbacks = (lastKnown ?? []).map(endpointOf);
  const observation = await observeOnce(settings, fallbacks, log, new AbortController().signal);
  if (observation?.kind === 'servers') return observation.servers;
  log({ event: 'api-unavailable', level: 'warn', message: observation?.message });
  return lastKnown;
}
