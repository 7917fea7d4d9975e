import { shareSource } from '../../engine/kube/control-plane/create-source.ts';
import { readLastKnown } from '../../engine/kube/control-plane/last-known.ts';
import { type LookupSettings, sourceSettings } from '../../engine/kube/control-plane/lookup-settings.ts';
import { observeSource } from '../../engine/reconcile/servers/observe-source.ts';
import { createSaver } from '../../engine/reconcile/servers/saver.ts';
import { createServerList, type ServerList } from '../../engine/reconcile/servers/server-list.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorObservers } from '../keepalived-monitor-metrics.ts';
import type { KeepalivedMonitorSettings } from '../keepalived-monitor-settings.ts';
import { nodeListPath } from './node-list-path.ts';

/** The nodes of one kind of VIP, with their address in one family. */
export interface NodeList {
  readonly kind: VipKind;
  readonly list: ServerList;
  /** Feeds the list until `signal` aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** One list for each VIP: the control plane for the API's, all nodes for ingress. Lists of one kind share a source. */
export async function openNodeLists(
  settings: KeepalivedMonitorSettings,
  wake: Wake,
  observers: KeepalivedMonitorObservers,
): Promise<readonly NodeList[]> {
  const lists = await Promise.all([
    openKind('api', settings.apiVips, settings, wake, observers),
    openKind('ingress', settings.ingressVips, settings, wake, observers),
  ]);
  return lists.flat();
}

async function openKind(
  kind: VipKind,
  vips: readonly string[],
  settings: KeepalivedMonitorSettings,
  wake: Wake,
  observers: KeepalivedMonitorObservers,
): Promise<readonly NodeList[]> {
  if (vips.length === 0) return [];
  const paths = vips.map((vip) =>
    nodeListPath(settings.lastKnownPath, kind, parseAddress(vip)?.family ?? 'ipv4'),
  );
  const known = await Promise.all(paths.map((path) => readLastKnown(path)));
  const lastKnown = known.map((each) => (each.kind === 'known' ? each.servers : undefined));
  const fallbacks = lastKnown.flatMap((servers) => servers ?? []);
  const lookup = sourceSettings(nodeLookup(settings, kind, vips), fallbacks, observers.log);
  const share = shareSource(lookup);
  return vips.map((vip, index): NodeList => {
    const source = share([vip]);
    const save = createSaver(paths[index] ?? '', observers);
    const list = createServerList(settings, { lastKnown: lastKnown[index], save }, observers);
    return { kind, list, run: (signal) => observeSource(source, list, wake.poke, signal) };
  });
}

/** Where to look for the nodes that share these VIPs. */
export function nodeLookup(
  settings: KeepalivedMonitorSettings,
  kind: VipKind,
  vips: readonly string[],
): LookupSettings {
  const source = kind === 'ingress' && settings.source === 'nodes' ? 'all-nodes' : settings.source;
  return { ...settings, source, vips };
}
