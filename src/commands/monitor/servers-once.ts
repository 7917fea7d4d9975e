import type { HaproxyMonitorSettings } from '../../config/haproxy-monitor-settings.ts';
import type { ApiServer } from '../../model/api-server.ts';
import type { Log } from '../../observe/logger.ts';
import { createSource } from '../../sources/create-source.ts';
import { readLastKnown } from '../../sources/last-known.ts';
import { sourceSettings } from './source-settings.ts';

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
