import type { ApiServer } from '../engine/kube/api-server.ts';
import { createSource } from '../engine/kube/control-plane/create-source.ts';
import { readLastKnown } from '../engine/kube/control-plane/last-known.ts';
import { sourceSettings } from '../engine/kube/control-plane/lookup-settings.ts';
import type { Log } from '../engine/observe/logger.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';

/** For commands that run once: the current list, else the last-known one, else undefined. */
export async function serversOnce(
  settings: HaproxyMonitorSettings,
  log: Log,
): Promise<readonly ApiServer[] | undefined> {
  const known = await readLastKnown(settings.lastKnownPath);
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const source = createSource(sourceSettings(settings, lastKnown ?? [], log));
  for await (const observation of source.observe(new AbortController().signal)) {
    if (observation.kind === 'servers') return observation.servers;
    log({ event: 'api-unavailable', level: 'warn', message: observation.message });
    return lastKnown;
  }
  return lastKnown;
}
