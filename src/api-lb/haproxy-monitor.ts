import { runConfigurationLoop } from '../engine/monitor/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../engine/monitor/monitor-program.ts';
import type { Loops } from '../engine/monitor/run-monitor.ts';
import { hawserVersion } from '../engine/system/version.ts';
import { apiLbJournal } from './api-lb-journal.ts';
import { haproxyConfiguration } from './haproxy-configuration.ts';
import { createHaproxyMonitorMetrics, type HaproxyMonitorMetrics } from './haproxy-monitor-metrics.ts';
import type { HaproxyMonitorSettings } from './haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from './haproxy-monitor-status.ts';
import { openServerList } from './open-server-list.ts';
import { createRedirectLoop } from './redirect-loop.ts';
import { watchServers } from './server-watch.ts';

/** Runs the HAProxy monitor. Resolves with exit code 0 after a requested stop, once the redirect is removed. */
export async function monitorHaproxy(settings: HaproxyMonitorSettings): Promise<number> {
  return await monitorProgram(
    {
      name: 'haproxy-monitor',
      ...apiLbJournal,
      createMetrics: createHaproxyMonitorMetrics,
      relays: {
        supervisor: settings.haproxySupervisor,
        haproxy: { host: '127.0.0.1', port: settings.statPort },
      },
    },
    settings,
    (monitor) => prepare(settings, monitor),
  );
}

async function prepare(
  settings: HaproxyMonitorSettings,
  { observers, log, wake, show, signal }: Monitor<HaproxyMonitorMetrics>,
): Promise<Loops> {
  const { list, loops } = await openServerList(settings, wake, observers, signal);
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
      extraPorts: settings.extraPorts.map(({ check: _, ...shown }) => shown),
    }),
  );
  log({ event: 'monitor-started', source: settings.source, vips: settings.vips, config: settings.config });
  return {
    ...loops,
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    redirect: redirect.run,
    servers: (stop) => watchServers(settings, observers, stop),
  };
}
