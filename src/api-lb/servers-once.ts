import type { ApiServer } from '../engine/kube/api-server.ts';
import { quietObservers } from '../engine/monitor/observers.ts';
import type { Log } from '../engine/system/log.ts';
import { createHaproxyMonitorMetrics } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import { hearServerList } from './open-server-list.ts';

/** Longer than the API takes to be found silent. */
const PATIENCE_MS = 60_000;

/** For commands that run once: the current list, else the last-known one, else undefined. */
export async function serversOnce(
  settings: HaproxyMonitorSettings,
  log: Log,
): Promise<readonly ApiServer[] | undefined> {
  const observers = { ...quietObservers(createHaproxyMonitorMetrics), log };
  const { list } = await hearServerList(settings, observers, PATIENCE_MS);
  const heard = list.heard();
  if (heard?.kind === 'servers') return heard.servers;
  log({ event: 'api-unavailable', level: 'warn', message: heard?.message });
  return list.resume() ? list.latest() : undefined;
}
