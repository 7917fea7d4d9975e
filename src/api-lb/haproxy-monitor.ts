import { endpointOf } from '../engine/kube/api-server.ts';
import { openApiSession } from '../engine/kube/api-session.ts';
import { type Observation, openSource } from '../engine/kube/control-plane/source.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { runConfigurationLoop } from '../engine/reconcile/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../engine/reconcile/monitor-program.ts';
import type { Loops } from '../engine/reconcile/run-monitor.ts';
import { openLastKnown } from '../engine/reconcile/servers/last-known.ts';
import { createServerList } from '../engine/reconcile/servers/server-list.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { haproxyConfiguration } from './haproxy-configuration.ts';
import { createHaproxyMonitorMetrics, type HaproxyMonitorMetrics } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import { createRedirectLoop } from './redirect-loop.ts';
import { watchServers } from './server-watch.ts';

/** Resolves with 0 after a stop was requested and the redirect is gone. */
export async function monitorHaproxy(settings: HaproxyMonitorSettings): Promise<number> {
  return await monitorProgram(
    { name: 'haproxy-monitor', createMetrics: createHaproxyMonitorMetrics },
    settings,
    (monitor) => prepare(settings, monitor),
  );
}

async function prepare(
  settings: HaproxyMonitorSettings,
  { observers, log, wake, show, signal }: Monitor<HaproxyMonitorMetrics>,
): Promise<Loops> {
  const known = await openLastKnown(settings.lastKnownPath, observers);
  const fallbacks = (known.lastKnown ?? []).map(endpointOf);
  const kubeconfig = openKubeconfig(settings.kubeconfig, log);
  const session = openApiSession({ kubeconfig, apiPort: settings.apiPort, fallbacks }, signal);
  const source = openSource(settings, { session, report: log });
  const list = createServerList(settings, known, { ...observers, listMetrics: observers.metrics });
  const hear = (observation: Observation): void => {
    list.observe(observation);
    wake.poke();
  };
  const configuration = haproxyConfiguration(settings, wake, list, observers);
  const redirect = createRedirectLoop(settings, observers);
  const version = hawserVersion();
  show(
    (): HaproxyMonitorStatus => ({
      version,
      source: settings.source,
      ...list.view(),
      ...configuration.view(),
      ...redirect.view(),
    }),
  );
  log({ event: 'monitor-started', source: settings.source, vips: settings.vips, config: settings.config });
  return {
    source: (stop) => source([{ vips: settings.vips, hear }], stop),
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    redirect: redirect.run,
    servers: (stop) => watchServers(settings, observers, stop),
  };
}
