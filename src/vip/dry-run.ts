import { clusterNameIn } from '../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../engine/kube/kubeconfig.ts';
import { quietObservers } from '../engine/reconcile/observers.ts';
import { hearOnce } from '../engine/reconcile/servers/hear-once.ts';
import { createWake } from '../engine/system/time/wake.ts';
import { createAgreedDialect } from './agreement/agreed-dialect.ts';
import { openNodeLists } from './configuration/node-lists.ts';
import { gatherInput } from './configuration/vrrp-proposal.ts';
import type { VrrpInput } from './group/vrrp.ts';
import { createKeepalivedMonitorMetrics } from './settings/keepalived-monitor-metrics.ts';
import {
  type KeepalivedMonitorSettings,
  keepalivedSettings,
} from './settings/keepalived-monitor-settings.ts';

const quiet = () => quietObservers(createKeepalivedMonitorMetrics);

/**
 * The input of the monitor's model as it would be now, undefined if a list is unknown, and remarks for the reader. Rejects
 * if the kubeconfig with the cluster's name cannot be read.
 */
export async function inputNow(
  settings: KeepalivedMonitorSettings,
  timeoutMs: number,
): Promise<{ readonly input: VrrpInput | undefined; readonly remarks: readonly string[] }> {
  const observers = quiet();
  const kubeconfig = openKubeconfig(settings.kubeconfig, observers.log);
  const clusterName = settings.clusterName ?? (await clusterNameIn(kubeconfig));
  const dialect = createAgreedDialect(settings, observers, async () => undefined);
  await dialect.switchIfDue(undefined);
  const [wake, stop] = [createWake(), new AbortController()];
  const around = { kubeconfig, wake };
  const opened = await openNodeLists({ ...settings, settle: 0 }, around, observers, stop.signal);
  const lists = opened.lists.map(({ list }) => list);
  const listRemarks = await hearOnce('nodes', { ...opened, lists, wake }, timeoutMs);
  const modelSettings = { ...keepalivedSettings(settings, clusterName), ...dialect.now() };
  const { input } = await gatherInput(opened.lists, modelSettings, stop.signal);
  stop.abort();
  const planned = dialect.planned();
  const agreed = planned && `a change from ${planned.change} is agreed for ${timeIn(planned.inMs)}`;
  return { input, remarks: [...new Set([agreed ?? [], ...listRemarks()].flat())] };
}

/** To the second, since time passes while this is asked. */
function timeIn(ms: number): string {
  return new Date(Math.round((Date.now() + ms) / 1_000) * 1_000).toISOString();
}
