import { clusterNameIn } from '../../engine/kube/control-plane/cluster-name.ts';
import { openKubeconfig } from '../../engine/kube/kubeconfig.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { currentInterfaces, currentRoutes } from '../../engine/system/network/routes.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { mergeNodes } from '../../vip/group/merge-nodes.ts';
import { nodeListPath } from '../../vip/group/node-list-path.ts';
import { nodeLookup } from '../../vip/group/node-lists.ts';
import type { VrrpInput } from '../../vip/group/vrrp.ts';
import { type KeepalivedMonitorSettings, keepalivedSettings } from '../../vip/keepalived-monitor-settings.ts';
import { dialectNow } from './dialect-now.ts';
import { type ListNow, listNow } from './lists-now.ts';

export interface InputQuestion {
  readonly settings: KeepalivedMonitorSettings;
  /** Translates a path of the monitor for this process. */
  readonly at: (path: string) => string;
  /** How long the API may take to answer. */
  readonly timeoutMs: number;
  /** Adds a remark about the lists or an agreement for the reader. */
  readonly note: (text: string) => void;
}

/**
 * The input of the monitor's model, or why it is unknown. Rejects if the kubeconfig with the cluster's name cannot be
 * read.
 */
export async function keepalivedInputNow(ask: InputQuestion): Promise<VrrpInput | string> {
  const { at, settings, note } = ask;
  const kubeconfig = at(settings.kubeconfig);
  const clusterName =
    settings.clusterName ?? (await clusterNameIn(openKubeconfig(kubeconfig, () => undefined)));
  const { dialect, later } = await dialectNow(settings, at);
  if (later !== undefined) note(later);
  const [controlPlane, allNodes] = await Promise.all([
    nodesOf('api', settings.apiVips, ask),
    nodesOf('ingress', settings.ingressVips, ask),
  ]);
  if (typeof controlPlane === 'string') return controlPlane;
  if (typeof allNodes === 'string') return allNodes;
  return {
    settings: { ...keepalivedSettings(settings, clusterName), ...dialect },
    ...{ controlPlane, allNodes, interfaces: currentInterfaces(), routes: await currentRoutes() },
  };
}

/** The nodes that share the VIPs of one kind, or why they are unknown. */
async function nodesOf(
  kind: VipKind,
  vips: readonly string[],
  { at, settings, timeoutMs, note }: InputQuestion,
): Promise<VrrpInput['allNodes'] | string> {
  const lists: readonly ListNow[] = await Promise.all(
    vips.map(async (vip) => {
      const kubeconfig = at(settings.kubeconfig);
      const lookup = { ...nodeLookup(settings, kind), vips: [vip], kubeconfig };
      const family = parseAddress(vip)?.family ?? 'ipv4';
      const path = nodeListPath(settings.lastKnownPath, kind, family);
      return await listNow(lookup, at(path), timeoutMs);
    }),
  );
  const unknown = lists.find((list) => list.kind === 'unknown');
  if (unknown !== undefined) return unknown.reason;
  const known = lists.flatMap((list) => (list.kind === 'known' ? [list] : []));
  for (const { held } of known) if (held !== undefined) note(`the API's list of nodes is held back: ${held}`);
  return mergeNodes(known.map(({ servers }) => servers));
}
