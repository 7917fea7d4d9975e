import { unknown } from '../../engine/examine/check.ts';
import { clusterNameOf } from '../../engine/kube/control-plane/cluster-name.ts';
import { addressIn, familyOf } from '../../engine/system/network/address-text.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { NetworkInterface } from '../../engine/system/network/routes.ts';
import { parseConfiguration } from '../../keepalived/parse-configuration.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { chooseVipInterface } from '../group/vip-interface.ts';
import { virtualRouterIds } from '../group/virtual-router-id.ts';
import type { VirtualRouterIds } from '../group/vrrp.ts';
import type { WatchedRouterId } from '../segment/foreign-router.ts';
import type { VipContext } from './context.ts';

export type RouterIdReading =
  | { readonly kind: 'known'; readonly watched: WatchedRouterId }
  | ReturnType<typeof unknown>;

/**
 * The virtual router id that each VIP has, or would have, on this node: from the settings, else from keepalived.conf, else derived from
 * the cluster's name as the monitor does, or before the installation as `hawser install` does.
 */
export async function routerIdsOf(context: VipContext): Promise<readonly RouterIdReading[]> {
  const { readings, settings, files } = context;
  const [vips, apiVips, routes] = await Promise.all([readings.vips(), readings.apiVips(), readings.routes()]);
  const set = idsFromSettings(context);
  const configured = configuredIds((await files.value(settings.keepalivedConfig)) ?? '');
  return await Promise.all(
    vips.map(async (vip) => {
      const kind: VipKind = apiVips.includes(vip) ? 'api' : 'ingress';
      const line = configured.find((each) => each.vip === vip);
      const id = set?.[kind] ?? line?.virtualRouterId ?? (await idsByDefault(context, vips))?.[kind];
      if (id === undefined)
        return unknown(`the virtual router id of ${vip} is unknown`, '--cluster-name NAME, as it is set');
      const on = line ?? chooseVipInterface(vip, readings.interfaces(), routes, settings.interface);
      const device = 'name' in on ? on.name : 'interface' in on ? on.interface : undefined;
      return device === undefined
        ? unknown(`${vip}: the interface to listen on is unknown`, '--interface NAME')
        : { kind: 'known', watched: watchedOn(device, vip, id, readings.interfaces()) };
    }),
  );
}

function idsFromSettings({ settings }: VipContext): VirtualRouterIds | undefined {
  const { virtualRouterIds: typed, clusterName } = settings;
  return typed ?? (clusterName === undefined ? undefined : virtualRouterIds(clusterName));
}

async function idsByDefault(
  { settings, readings }: VipContext,
  vips: readonly string[],
): Promise<VirtualRouterIds | undefined> {
  const isInstalled = settings.settingsFile.kind === 'read' || settings.kubeconfig !== undefined;
  if (!isInstalled) return virtualRouterIds(clusterNameOf(vips[0] ?? ''));
  const kubeconfig = await readings.kubeconfig();
  return kubeconfig.kind === 'loaded'
    ? virtualRouterIds(clusterNameOf(kubeconfig.loaded.server.hostname))
    : undefined;
}

/** The virtual router id and interface of every VIP in keepalived.conf. */
export function configuredIds(
  text: string,
): readonly Pick<WatchedRouterId, 'vip' | 'virtualRouterId' | 'interface'>[] {
  return parseConfiguration(text).instances.flatMap(({ virtualRouterId, vips }) =>
    vips.flatMap(({ address: vip, interface: device }) =>
      virtualRouterId === undefined ? [] : [{ vip, virtualRouterId, interface: device }],
    ),
  );
}

function watchedOn(
  device: string,
  vip: string,
  virtualRouterId: number,
  interfaces: readonly NetworkInterface[],
): WatchedRouterId {
  const family = familyOf(vip);
  const { addresses = [] } = interfaces.find(({ name }) => name === device) ?? {};
  const own = addresses.map(addressIn).filter((text) => parseAddress(text)?.family === family);
  return { virtualRouterId, family, interface: device, vip, sourceAddress: own[0] ?? '' };
}
