import { haproxyConfiguration } from '../api-lb/haproxy-configuration.ts';
import {
  type HaproxyMonitorSettings,
  haproxyMonitorCommand,
  haproxyMonitorSettings,
} from '../api-lb/haproxy-monitor-settings.ts';
import type { HaproxyMonitorStatus } from '../api-lb/haproxy-monitor-status.ts';
import { createRedirectLoop } from '../api-lb/redirect-loop.ts';
import { watchServers } from '../api-lb/server-watch.ts';
import { readCommandLine } from '../cli/command-line.ts';
import { createSource } from '../engine/kube/control-plane/create-source.ts';
import { readLastKnown } from '../engine/kube/control-plane/last-known.ts';
import { sourceSettings } from '../engine/kube/control-plane/lookup-settings.ts';
import { watchEventLoop } from '../engine/observe/event-loop-lag.ts';
import { serveEndpoint } from '../engine/observe/http-endpoint.ts';
import { createMonitorMetrics } from '../engine/observe/monitor-metrics.ts';
import { createOnce } from '../engine/observe/once.ts';
import { openLog } from '../engine/observe/open-log.ts';
import { processMetrics } from '../engine/observe/process-metrics.ts';
import { watchClientCertificate } from '../engine/reconcile/client-certificate.ts';
import { runConfigurationLoop } from '../engine/reconcile/configuration-loop.ts';
import { fileMounts, watchInputs } from '../engine/reconcile/inputs.ts';
import { livenessFailure } from '../engine/reconcile/liveness-failure.ts';
import type { Observers } from '../engine/reconcile/observers.ts';
import { type Loops, runMonitor } from '../engine/reconcile/run-monitor.ts';
import { observeSource } from '../engine/reconcile/servers/observe-source.ts';
import { createSaver } from '../engine/reconcile/servers/saver.ts';
import { createServerList } from '../engine/reconcile/servers/server-list.ts';
import { stopOnSignals } from '../engine/system/process/stop-signals.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { hawserVersion } from '../engine/system/version.ts';

/** `hawser haproxy monitor`: resolves with 0 after a stop was requested and the redirect is gone. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(haproxyMonitorCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = haproxyMonitorSettings(line.values);
  const log = await openLog('haproxy-monitor', settings);
  const observers = {
    log,
    metrics: createMonitorMetrics(monotonicMs, 'haproxy-monitor'),
    once: createOnce(),
  };
  return await runMonitor({ log, asked: stopOnSignals(log), replaced: fileMounts(settings) }, (signal) =>
    prepareLoops(settings, observers, signal),
  );
}

async function prepareLoops(
  settings: HaproxyMonitorSettings,
  observers: Observers,
  signal: AbortSignal,
): Promise<Loops> {
  const { log, metrics } = observers;
  const known = await readLastKnown(settings.lastKnownPath);
  if (known.kind === 'unusable') log({ event: 'last-known-unusable', level: 'warn', message: known.reason });
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const source = createSource(sourceSettings(settings, lastKnown ?? [], log));
  watchEventLoop(metrics.lag);
  const wake = createWake();
  const list = createServerList(
    settings,
    { lastKnown, save: createSaver(settings.lastKnownPath, observers) },
    observers,
  );
  const configuration = haproxyConfiguration(settings, wake, list, observers);
  const redirect = createRedirectLoop(settings, observers);
  const version = hawserVersion();
  const status = (): HaproxyMonitorStatus => ({
    version,
    source: settings.source,
    ...list.view(),
    ...configuration.view(),
    ...redirect.view(),
  });
  const trouble = (): string | undefined => livenessFailure(metrics.secondsSinceBeat());
  const own = processMetrics({ version });
  const page = (): string => `${metrics.text()}\n${own()}`;
  await serveEndpoint(settings.listen, { trouble, metrics: page, status }, signal);
  watchClientCertificate(settings.kubeconfig, observers, signal);
  watchInputs(settings, wake, observers, signal);
  log({ event: 'monitor-started', source: settings.source, vips: settings.vips, config: settings.config });
  return {
    source: (stop) => observeSource(source, list, wake.poke, stop),
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    redirect: redirect.run,
    servers: (stop) => watchServers(settings, observers, stop),
  };
}
