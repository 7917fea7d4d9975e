import { type FactReader, read, readOnce, skip, unknown } from '../../engine/examine/check.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { findAddress } from '../../engine/system/network/interface-addresses.ts';
import { vrrpGroups } from '../../engine/system/network/multicast-membership.ts';
import { isInSubnet, parseAddress } from '../../engine/system/network/node-address.ts';
import { namesIn, parseBlocks } from '../../keepalived/parse-blocks.ts';
import { parseConfiguration } from '../../keepalived/parse-configuration.ts';
import { chooseVipInterface } from '../group/vip-interface.ts';
import { NO_VIP, type VipContext } from './context.ts';

export const vips: FactReader<VipContext, readonly string[]> = async ({ readings }) => {
  const all = await readings.vips();
  return all.length === 0 ? skip(NO_VIP) : read(all);
};

/** An interface with the VIPs that belong on it. */
export interface VipLink {
  readonly device: string;
  readonly vips: readonly string[];
  /** Kernel settings of IPv4; undefined if they cannot be read. */
  readonly arpIgnore: number | undefined;
  readonly arpFilter: number | undefined;
  readonly rpFilter: number | undefined;
  /** Every interface with a subnet that contains the IPv4 VIP. */
  readonly onSubnet: readonly string[];
}

export const links: FactReader<VipContext, readonly VipLink[]> = async ({ readings, settings, files }) => {
  const routes = await readings.routes();
  const interfaces = readings.interfaces();
  const chosen = (await readings.vips()).flatMap((vip) => {
    const on = chooseVipInterface(vip, interfaces, routes, settings.interface);
    return on.kind === 'chosen' ? { vip, device: on.name } : [];
  });
  // For these settings the kernel uses the greater value of `all` and the interface.
  const setting = async (device: string, key: string): Promise<number | undefined> => {
    const paths = ['all', device].map((name) => `/proc/sys/net/ipv4/conf/${name}/${key}`);
    const values = (await Promise.all(paths.map(files.value))).flatMap((text) => text ?? []);
    return values.length === 0 ? undefined : Math.max(...values.map(Number));
  };
  const all = [...Map.groupBy(chosen, ({ device }) => device)].map(async ([device, on]): Promise<VipLink> => {
    const address = parseAddress(on.map(({ vip }) => vip).find((vip) => !vip.includes(':')) ?? '');
    const onSubnet = interfaces.filter(({ addresses }) =>
      // A single address is not a subnet.
      addresses.some((cidr) => !cidr.endsWith('/32') && address !== undefined && isInSubnet(address, cidr)),
    );
    const [arpIgnore, arpFilter, rpFilter] = await Promise.all(
      ['arp_ignore', 'arp_filter', 'rp_filter'].map((key) => setting(device, key)),
    );
    const names = onSubnet.map(({ name }) => name);
    return { device, vips: on.map(({ vip }) => vip), arpIgnore, arpFilter, rpFilter, onSubnet: names };
  });
  return read(await Promise.all(all));
};

/** The interfaces of the VIPs, or the one in `--interface`. */
export const devices: FactReader<VipContext, readonly string[]> = async (context) => {
  const { interface: given } = context.settings;
  if (given !== undefined) return read([given]);
  const reading = await readOnce(context, links);
  return reading.kind === 'read' ? read(reading.value.map(({ device }) => device)) : reading;
};

/** The interfaces of this node that have each VIP, including interfaces that are down. */
export const held: FactReader<VipContext, ReadonlyMap<string, readonly string[]>> = async ({ readings }) => {
  const all = (await readings.vips()).map(async (vip) => [vip, await findAddress(vip)] as const);
  const here = new Map<string, readonly string[]>();
  for (const [vip, found] of await Promise.all(all)) {
    if (found === undefined)
      return unknown('"ip address show" fails', 'ip address show, with iproute2 installed; then try again');
    here.set(
      vip,
      found.map((each) => each.interface),
    );
  }
  return read(here);
};

/** `down`: it is installed here but does not run. Once it is installed, some node must hold the VIP. */
export type KeepalivedState = 'running' | 'down' | 'unreachable' | 'not-installed';

/** The state of hawser's keepalived on this node. */
export const keepalived: FactReader<VipContext, KeepalivedState> = async ({ readings, settings, files }) => {
  const live = await readings.supervisor('keepalived', settings.keepalivedSocket);
  if (live.kind === 'unreachable') return read('unreachable');
  if (live.kind === 'answered') return read(live.answer.ok ? 'running' : 'down');
  const manifest = await files.value(`${settings.manifests}/keepalived.yaml`);
  return read(/\bhawser\b/.test(manifest ?? '') ? 'down' : 'not-installed');
};

/** The peers in keepalived.conf. `from`: the path of the file. */
export async function configuredPeers(
  { keepalivedConfig: from }: { readonly keepalivedConfig: string },
  files: HostFiles,
): Promise<{ readonly peers: readonly Peer[]; readonly from: string }> {
  return { peers: unicastPeers((await files.value(from)) ?? ''), from };
}

/** The addresses in every `unicast_peer { … }` block, without the placeholder of a single node. The name of a peer is its address. */
export function unicastPeers(text: string): readonly Peer[] {
  const instances = parseBlocks(text).filter(({ words: [what] }) => what === 'vrrp_instance');
  const addresses = new Set(instances.flatMap(({ children }) => namesIn(children, 'unicast_peer')));
  for (const group of Object.values(vrrpGroups)) addresses.delete(group);
  return [...addresses].map((address) => ({ name: address, address }));
}

interface GivenVips {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly keepalivedConfig: string;
}

/** The VIPs of the settings, or else those of keepalived.conf, so that a node that runs hawser needs no flags. */
export async function findVips({ apiVips, ingressVips, keepalivedConfig }: GivenVips, files: HostFiles) {
  if (apiVips.length + ingressVips.length > 0) return { api: apiVips, ingress: ingressVips };
  const { instances } = parseConfiguration((await files.value(keepalivedConfig)) ?? '');
  const of = (isIngress: boolean): readonly string[] =>
    instances
      .filter(({ name }) => /ingress/i.test(name) === isIngress)
      .flatMap(({ vips }) => vips.map(({ address }) => address));
  return { api: of(false), ingress: of(true) };
}
