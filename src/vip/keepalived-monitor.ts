import { clusterNameIn } from '../engine/kube/control-plane/cluster-name.ts';
import { type KubeconfigFile, openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { runConfigurationLoop } from '../engine/monitor/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../engine/monitor/monitor-program.ts';
import type { Loops } from '../engine/monitor/run-monitor.ts';
import { watchFiles } from '../engine/system/file/watch-files.ts';
import { sleep } from '../engine/system/time/sleep.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { readParticipationNote } from '../keepalived/participation-note.ts';
import { openNodeLists } from './configuration/node-lists.ts';
import { vrrpConfiguration } from './configuration/vrrp-configuration.ts';
import { createHealthLoop } from './health/health-loop.ts';
import { type HealthSource, healthSources } from './health/health-sources.ts';
import { vipEvents } from './journal/vip-events.ts';
import { createMonitorStatus, waitingStatus } from './monitor-status.ts';
import { createVipOrders, type VipOrders } from './orders/vip-orders.ts';
import { configuredInstances } from './segment/configured-vips.ts';
import { pinNeighbours } from './segment/neighbour-pinning.ts';
import { sweepOrphanedVips } from './segment/orphaned-vip-sweeper.ts';
import { createRouterIdGuard } from './segment/router-id-guard.ts';
import { createSegmentWatch } from './segment/segment-watch.ts';
import { createSplitBrainAlarm } from './segment/split-brain-alarm.ts';
import {
  createKeepalivedMonitorMetrics,
  type KeepalivedMonitorMetrics,
} from './settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from './settings/keepalived-monitor-settings.ts';

const NAME_RETRY_MS = 500;

type VipMonitor = Monitor<KeepalivedMonitorMetrics>;

/** Runs the keepalived monitor. Resolves with 0 after a stop was requested. */
export async function monitorKeepalived(settings: KeepalivedMonitorSettings): Promise<number> {
  return await monitorProgram(
    {
      name: 'keepalived-monitor',
      events: vipEvents,
      createMetrics: createKeepalivedMonitorMetrics,
      relays: { supervisor: settings.keepalivedSupervisor },
    },
    settings,
    (monitor) => prepare(settings, monitor),
  );
}

async function prepare(settings: KeepalivedMonitorSettings, monitor: VipMonitor): Promise<Loops> {
  const { observers, log, wake, show, signal } = monitor;
  show(waitingStatus);
  sweepOrphanedVips(settings, observers, signal);
  const kubeconfig = openKubeconfig(settings.kubeconfig, log);
  const clusterName = settings.clusterName ?? (await awaitName(kubeconfig, monitor));
  if (clusterName === undefined) return {};
  const nodes = await openNodeLists(settings, { kubeconfig, wake }, observers, signal);
  const { lists } = nodes;
  const modelSettings = { ...settings, clusterName };
  const sources = healthSources(settings, observers);
  const isAdmitted = (): boolean =>
    sources.every(({ trackFile }) => readParticipationNote(trackFile)?.before === 'admitted');
  const segmentWake = createWake();
  const configured = configuredInstances(settings);
  const guard = createRouterIdGuard(
    settings,
    { clusterName, configured, isAdmitted, wake: segmentWake.poke },
    observers,
  );
  const configuration = vrrpConfiguration(settings, { wake, lists, modelSettings, guard, observers });
  const alarm = createSplitBrainAlarm(settings, configuration.served, observers);
  const segment = createSegmentWatch(settings, { alarm, guard, wake: segmentWake }, observers);
  const orders = await openVipOrders(settings, sources, monitor);
  const onTransition = (listener: () => void): void =>
    watchFiles([settings.stateFile], listener, { recheckMs: settings.checkInterval, signal });
  const loops = sources.map((source) => {
    const parts = { ...configuration, segment, guard, orders, onTransition };
    return createHealthLoop(source, settings, parts, observers);
  });
  show(createMonitorStatus({ clusterName, configuration, loops, guard, alarm }));
  log({ event: 'monitor-started', clusterName, vips: settings.vips });
  return {
    ...nodes.loops,
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    ...Object.fromEntries(loops.map((each) => [`${each.kind} health`, each.run])),
    segment: segment.run,
    'neighbour pinning': (stop) => pinNeighbours(settings.stateFile, configuration.served, observers, stop),
  };
}

/** Reads the orders before health is first reported, so that a drained node stays drained across a restart. */
async function openVipOrders(
  { steeringPath, checkInterval }: KeepalivedMonitorSettings,
  sources: readonly HealthSource[],
  { observers, signal }: VipMonitor,
): Promise<VipOrders> {
  const kinds = sources.map(({ kind }) => kind);
  const orders = createVipOrders(steeringPath, kinds, observers);
  // The watch starts first, so that an order written during the read is read as well.
  watchFiles([steeringPath], () => void orders.read(), { recheckMs: checkInterval, signal });
  await orders.read();
  return orders;
}

/**
 * Waits for a kubeconfig with the cluster name, from which the router ids are derived; a guess could be wrong. On the first node of a
 * cluster, the kubeconfig is created after the pods. Undefined if the monitor was stopped meanwhile.
 */
async function awaitName(
  kubeconfig: KubeconfigFile,
  { observers, signal }: VipMonitor,
): Promise<string | undefined> {
  while (!signal.aborted) {
    observers.metrics.beat();
    const name = await clusterNameIn(kubeconfig).catch(() => undefined);
    if (name !== undefined) return name;
    await sleep(NAME_RETRY_MS, signal);
  }
  return undefined;
}
