import { type ApiServer, endpointOf } from '../engine/kube/api-server.ts';
import { openApiSession } from '../engine/kube/api-session.ts';
import { type Observation, openSource } from '../engine/kube/control-plane/source.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { quietObservers } from '../engine/monitor/observers.ts';
import type { Loops } from '../engine/monitor/run-monitor.ts';
import { openLastKnown } from '../engine/monitor/servers/last-known.ts';
import { observeOnce } from '../engine/monitor/servers/observe-once.ts';
import { createServerList, type ServerList } from '../engine/monitor/servers/server-list.ts';
import type { Log } from '../engine/system/log.ts';
import { createWake, type Wake } from '../engine/system/time/wake.ts';
import { createHaproxyMonitorMetrics, type HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';

/** Opens the list of API servers that HAProxy balances over, and returns it with the loop that updates it. The API session lasts until `signal` aborts. */
export async function openServerList(
  settings: HaproxyMonitorSettings,
  wake: Wake,
  observers: HaproxyMonitorObservers,
  signal: AbortSignal,
): Promise<{ readonly list: ServerList; readonly loops: Loops }> {
  const { log, metrics: listMetrics } = observers;
  const known = await openLastKnown(settings.lastKnownPath, observers);
  const fallbacks = (known.lastKnown ?? []).map(endpointOf);
  const kubeconfig = openKubeconfig(settings.kubeconfig, log);
  // On a worker, HAProxy itself listens on the API port of localhost.
  const local = settings.worker ? {} : { apiPort: settings.apiPort };
  const session = openApiSession({ kubeconfig, ...local, fallbacks }, signal);
  const source = openSource(settings, { session, report: log });
  const list = createServerList(settings, known, { ...observers, listMetrics });
  const observe = (observation: Observation): void => {
    list.observe(observation);
    wake.poke();
  };
  return { list, loops: { source: (stop) => source([{ vips: settings.vips, observe }], stop) } };
}

/** Longer than the session needs to detect that no API server answers. */
const PATIENCE_MS = 60_000;

/** Reads the API servers once, for one-shot commands. Falls back to the last-known list; undefined without one. */
export async function serversOnce(
  settings: HaproxyMonitorSettings,
  log: Log,
): Promise<readonly ApiServer[] | undefined> {
  const observers = { ...quietObservers(createHaproxyMonitorMetrics), log };
  const wake = createWake();
  const stop = new AbortController();
  const { list, loops } = await openServerList(settings, wake, observers, stop.signal);
  await observeOnce('servers', { lists: [list], loops, wake }, PATIENCE_MS);
  stop.abort();
  const observation = list.lastObservation();
  if (observation?.kind === 'servers') return observation.servers;
  log({ event: 'api-unavailable', level: 'warn', message: observation?.message });
  return list.resume() ? list.latest() : undefined;
}
