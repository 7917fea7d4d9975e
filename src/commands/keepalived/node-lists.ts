import type { KeepalivedMonitorSettings } from '../../config/keepalived-monitor-settings.ts';
import { parseAddress } from '../../model/node-address.ts';
import type { VipKind } from '../../model/vrrp.ts';
import { createSource } from '../../sources/create-source.ts';
import { nodeListPath, readLastKnown } from '../../sources/last-known.ts';
import type { Wake } from '../../system/wake.ts';
import { observeSource } from '../monitor/observe-source.ts';
import type { Observers } from '../monitor/observers.ts';
import { createSaver } from '../monitor/saver.ts';
import { createServerList, type ServerList } from '../monitor/server-list.ts';
import { type LookupSettings, sourceSettings } from '../monitor/source-settings.ts';

/** The nodes of one kind of VIP, with their address in one family. */
export interface NodeList {
  readonly kind: VipKind;
  readonly list: ServerList;
  /** Feeds the list until `signal` aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** One list for each VIP: of the control plane for the API's, of all nodes for ingress. */
export async function openNodeLists(
  settings: KeepalivedMonitorSettings,
  wake: Wake,
  observers: Observers,
): Promise<readonly NodeList[]> {
  const open = (kind: VipKind) => (vip: string) => openNodeList(kind, vip, settings, wake, observers);
  return await Promise.all([
    ...settings.apiVips.map(open('api')),
    ...settings.ingressVips.map(open('ingress')),
  ]);
}

async function openNodeList(
  kind: VipKind,
  vip: string,
  settings: KeepalivedMonitorSettings,
  wake: Wake,
  observers: Observers,
): Promise<NodeList> {
  const path = nodeListPath(settings.lastKnownPath, kind, parseAddress(vip)?.family ?? 'ipv4');
  const known = await readLastKnown(path);
  const lastKnown = known.kind === 'known' ? known.servers : undefined;
  const lookup = sourceSettings(nodeLookup(settings, kind, vip), lastKnown ?? [], observers.log);
  const list = createServerList(settings, { lastKnown, save: createSaver(path, observers) }, observers);
  return { kind, list, run: (signal) => observeSource(createSource(lookup), list, wake.poke, signal) };
}

/** Where the nodes that share this VIP are looked for. */
export function nodeLookup(settings: KeepalivedMonitorSettings, kind: VipKind, vip: string): LookupSettings {
  const source = kind === 'ingress' && settings.source === 'nodes' ? 'all-nodes' : settings.source;
  return { ...settings, source, vips: [vip] };
}
