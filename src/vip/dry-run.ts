import { clusterNameIn } from '../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { quietObservers } from '../engine/monitor/observers.ts';
import { observeOnce } from '../engine/monitor/servers/observe-once.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { gatherInput, openNodeLists } from './configuration/node-lists.ts';
import type { VrrpInput } from './group/vrrp.ts';
import { createKeepalivedMonitorMetrics } from './settings/keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from './settings/keepalived-monitor-settings.ts';

/**
 * The input that the monitor's model would have now, and remarks for the operator. The input is undefined if a list is unknown. Rejects
 * if the cluster's name is needed from the kubeconfig and that cannot be read.
 */
export async function inputNow(
  settings: KeepalivedMonitorSettings,
  timeoutMs: number,
): Promise<{ readonly input: VrrpInput | undefined; readonly remarks: readonly string[] }> {
  const observers = quietObservers(createKeepalivedMonitorMetrics);
  const kubeconfig = openKubeconfig(settings.kubeconfig, observers.log);
  const clusterName = settings.clusterName ?? (await clusterNameIn(kubeconfig));
  const wake = createWake();
  const stop = new AbortController();
  const sources = { kubeconfig, wake };
  const opened = await openNodeLists({ ...settings, settle: 0 }, sources, observers, stop.signal);
  const lists = opened.lists.map(({ list }) => list);
  const listRemarks = await observeOnce('nodes', { ...opened, lists, wake }, timeoutMs);
  const { input } = await gatherInput(opened.lists, { ...settings, clusterName }, stop.signal);
  stop.abort();
  return { input, remarks: [...new Set(listRemarks())] };
}
