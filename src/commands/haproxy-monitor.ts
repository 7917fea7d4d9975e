import { readCommandLine } from '../config/command-line.ts';
import {
  type HaproxyMonitorSettings,
  haproxyMonitorCommand,
  haproxyMonitorSettings,
} from '../config/haproxy-monitor-settings.ts';
import { watchEventLoop } from '../observe/event-loop-lag.ts';
import { serveEndpoint } from '../observe/http-endpoint.ts';
import { createMonitorMetrics } from '../observe/monitor-metrics.ts';
import { createOnce } from '../observe/once.ts';
import { processMetrics } from '../observe/process-metrics.ts';
import type { HaproxyMonitorStatus } from '../protocol/haproxy-monitor-status.ts';
import { createSource } from '../sources/create-source.ts';
import { readLastKnown } from '../sources/last-known.ts';
import { monotonicMs } from '../system/monotonic-clock.ts';
import { createWake } from '../system/wake.ts';
import { watchClientCertificate } from './monitor/client-certificate.ts';
import { runConfigurationLoop } from './monitor/configuration-loop.ts';
import { haproxyConfiguration } from './monitor/haproxy-configuration.ts';
import { watchInputs } from './monitor/inputs.ts';
import { livenessFailure } from './monitor/liveness-failure.ts';
import { observeSource } from './monitor/observe-source.ts';
import type { Observers } from './monitor/observers.ts';
import { createRedirectLoop } from './monitor/redirect-loop.ts';
import { type Loops, runMonitor } from './monitor/run-monitor.ts';
import { createSaver } from './monitor/saver.ts';
import { createServerList } from './monitor/server-list.ts';
import { watchServers } from './monitor/server-watch.ts';
import { sourceSettings } from './monitor/source-settings.ts';
import { openLog } from './open-log.ts';
import { stopOnSignals } from './stop-signals.ts';
import { hawserVersion } from './version.ts';

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
  return await runMonitor({ log, asked: stopOnSignals(log) }, (signal) =>
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
  const page = async (): Promise<string> => `${await metrics.text()}\n${own()}`;
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
