import { setTimeout as pause } from 'node:timers/promises';
import { readCommandLine } from '../cli/command-line.ts';
import { clusterNameOf } from '../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
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
import { watchFiles } from '../engine/system/file/watch-files.ts';
import { stopOnSignals } from '../engine/system/process/stop-signals.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { hawserVersion } from '../engine/system/version.ts';
import type { StatusEndpoints } from '../operate/status/collect-node-status.ts';
import { openNodeLists } from '../vip/group/node-lists.ts';
import { ownEndpoints } from '../vip/group/own-endpoints.ts';
import { vrrpConfiguration } from '../vip/group/vrrp-configuration.ts';
import { guardLeftVips } from '../vip/guards/left-vip-guard.ts';
import { createSplitBrainSentinel } from '../vip/guards/split-brain-sentinel.ts';
import { createVipUseWatch } from '../vip/guards/vip-use-watch.ts';
import { createVirtualRouterIdGuard } from '../vip/guards/virtual-router-id-guard.ts';
import { createHealthLoop } from '../vip/health/health-loop.ts';
import { type HealthSource, healthSources } from '../vip/health/health-sources.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedMonitorCommand,
  keepalivedMonitorSettings,
  keepalivedSettings,
} from '../vip/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from '../vip/keepalived-monitor-status.ts';
import { createMonitorStatus, waitingStatus } from '../vip/monitor-status.ts';
import { publishStatus } from '../vip/publish-status.ts';
import { createSteeringKeeper, type SteeringKeeper } from '../vip/steering/steering-keeper.ts';

const NAME_RETRY_MS = 500;

/** `hawser keepalived monitor`: resolves with 0 after a stop was requested. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(keepalivedMonitorCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const settings = keepalivedMonitorSettings(line.values);
  const log = await openLog('keepalived-monitor', settings);
  const observers = {
    log,
    metrics: createMonitorMetrics(monotonicMs, 'keepalived-monitor'),
    once: createOnce(),
  };
  const places = settings.peers && ownEndpoints(settings, env);
  return await runMonitor({ log, asked: stopOnSignals(log), replaced: fileMounts(settings) }, (signal) =>
    prepareLoops(settings, places, observers, signal),
  );
}

async function prepareLoops(
  settings: KeepalivedMonitorSettings,
  places: StatusEndpoints | undefined,
  observers: Observers,
  signal: AbortSignal,
): Promise<Loops> {
  const { log, metrics } = observers;
  watchEventLoop(metrics.lag);
  watchClientCertificate(settings.kubeconfig, observers, signal);
  const own = processMetrics({ version: hawserVersion() });
  // Until there is a kubeconfig, the status says only that it is missing.
  let status = (): KeepalivedMonitorStatus => waitingStatus(settings);
  await serveEndpoint(
    settings.listen,
    {
      trouble: () => livenessFailure(metrics.secondsSinceBeat()),
      metrics: () => `${metrics.text()}\n${own()}`,
      status: () => status(),
    },
    signal,
  );
  guardLeftVips(settings, observers, signal);
  const clusterName =
    settings.clusterName ?? (await nameFromKubeconfig(settings.kubeconfig, observers, signal));
  if (clusterName === undefined) return {};
  const wake = createWake();
  const lists = await openNodeLists(settings, wake, observers);
  const modelSettings = keepalivedSettings(settings, clusterName);
  const guard = createVirtualRouterIdGuard(settings, clusterName, observers, signal);
  const configuration = vrrpConfiguration(settings, { wake, lists, modelSettings, guard, observers });
  const sentinel = createSplitBrainSentinel(settings, configuration.served, observers);
  const vipUse = createVipUseWatch(settings, observers);
  const sources = healthSources(settings, observers);
  const steering = await openSteering(settings, sources, observers, signal);
  const loops = sources.map((source) => {
    const mustLeave = () => sentinel.mustLeave(source.kind);
    const parts = { ...configuration, mustLeave, vipUse: () => vipUse.look(source.kind), steering };
    return createHealthLoop(source, settings, parts, observers);
  });
  status = createMonitorStatus(settings, { clusterName, configuration, loops, guard, sentinel });
  watchInputs(settings, wake, observers, signal);
  log({ event: 'monitor-started', clusterName, vips: settings.vips, profile: settings.profile });
  return {
    ...Object.fromEntries(lists.map(({ kind, run: feed }, index) => [`${kind} nodes ${index + 1}`, feed])),
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    'virtual router id guard': guard.run,
    ...Object.fromEntries(loops.map((each) => [`${each.kind} health`, each.run])),
    'split-brain sentinel': sentinel.run,
    'VIP use': vipUse.run,
    peers: (stop) =>
      publishStatus(settings, { lists, served: configuration.served, places }, observers, stop),
  };
}

/** Reads the orders before health is first reported, so that a drained node stays drained across a restart. */
async function openSteering(
  { steeringPath, checkInterval }: KeepalivedMonitorSettings,
  sources: readonly HealthSource[],
  observers: Observers,
  signal: AbortSignal,
): Promise<SteeringKeeper> {
  const kinds = sources.map(({ kind }) => kind);
  const steering = createSteeringKeeper(steeringPath, kinds, observers);
  await steering.read();
  watchFiles([steeringPath], () => void steering.read(), { lookAgainMs: checkInterval, signal });
  return steering;
}

/**
 * Waits for a kubeconfig, because the router ids derive from the cluster name and a guess could be wrong. On the first
 * node of a cluster the kubeconfig is made after the pods. Undefined if the monitor was stopped meanwhile.
 */
async function nameFromKubeconfig(
  path: string,
  { log, metrics }: Observers,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kubeconfig = openKubeconfig(path, log);
  while (!signal.aborted) {
    metrics.beat();
    const loaded = await kubeconfig.load().catch(() => undefined);
    if (loaded !== undefined) return clusterNameOf(loaded.server.hostname);
    await pause(NAME_RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
