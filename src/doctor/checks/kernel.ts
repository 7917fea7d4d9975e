import { isInSubnet, parseAddress } from '../../model/node-address.ts';
import { chooseVipInterface } from '../../model/vip-interface.ts';
import type { NetworkInterface, NetworkRoute } from '../../model/vrrp.ts';
import { type Check, type Finding, fail, ok, skip, unknown, warn, worstOf } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { NO_VIP } from './vip.ts';

/** The interfaces on which VIPs go, by the VIPs that go on them. */
async function vipInterfaces(context: DoctorContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const { looks, settings } = context;
  const [vips, routes] = await Promise.all([looks.vips(), looks.routes()]);
  const found = new Map<string, readonly string[]>();
  for (const vip of vips) {
    const on = chooseVipInterface(vip, looks.interfaces(), routes, settings.interface);
    if (on.kind === 'chosen') found.set(on.name, [...(found.get(on.name) ?? []), vip]);
  }
  return found;
}

/** For these settings the kernel takes the greater of `all` and the interface's own. */
async function settingOf(
  { files }: DoctorContext,
  family: 'ipv4' | 'ipv6',
  device: string,
  key: string,
): Promise<number | undefined> {
  const read = async (name: string) => await files.value(`/proc/sys/net/${family}/conf/${name}/${key}`);
  const values = (await Promise.all(['all', device].map(read))).flatMap((text) =>
    text === undefined ? [] : Number(text),
  );
  return values.length === 0 ? undefined : Math.max(...values);
}

/** Addresses that a haproxy.cfg binds, without those that are on every node. */
export function boundAddresses(config: string): readonly string[] {
  return config
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .flatMap((line) => /^bind\s+(\S+)/.exec(line)?.[1]?.split(',') ?? [])
    .flatMap(
      (bound) =>
        parseAddress(bound.replace(/:\d+$/, '').replace(/^(?:ipv[46]@)?\[?([^\]]*)\]?$/, '$1'))?.text ?? [],
    );
}

export function judgeNonlocalBind(
  vips: readonly string[],
  bound: readonly string[],
  allowed: ReadonlyMap<string, boolean>,
): Finding {
  const needed = vips.filter((vip) => bound.includes(vip));
  if (needed.length === 0) return ok('haproxy.cfg binds no VIP, so it is not needed');
  const refused = needed.filter((vip) => allowed.get(vip) === false);
  if (refused.length === 0) return ok(`haproxy.cfg binds ${needed.join(', ')}, and ip_nonlocal_bind is 1`);
  const family = refused.some((vip) => vip.includes(':')) ? 'ipv6' : 'ipv4';
  return fail(
    `haproxy.cfg binds ${refused.join(', ')}, and net.${family}.ip_nonlocal_bind is 0`,
    `bind ":::PORT v4v6" in the template, or: sysctl -w net.${family}.ip_nonlocal_bind=1 (and in /etc/sysctl.d/)`,
  );
}

const nonlocalBind: Check = {
  id: 'nonlocal-bind',
  title: 'Binding a VIP held elsewhere',
  why: 'HAProxy that binds the VIP itself starts only on the node that holds it, and cannot take it over.',
  run: async ({ settings, files, looks }) => {
    const look = await files.read(settings.haproxyConfig);
    if (look.kind === 'missing') return skip(`there is no ${settings.haproxyConfig} yet`);
    if (look.kind === 'unreadable') return unknown(look.reason, 'run this as root');
    const vips = await looks.vips();
    const allowed = new Map<string, boolean>();
    for (const vip of vips) {
      const family = vip.includes(':') ? 'ipv6' : 'ipv4';
      allowed.set(vip, (await files.value(`/proc/sys/net/${family}/ip_nonlocal_bind`)) !== '0');
    }
    return judgeNonlocalBind(vips, boundAddresses(look.text), allowed);
  },
};

export function judgeReversePath(
  device: string,
  value: number | undefined,
  routes: readonly NetworkRoute[],
): Finding {
  if (value === undefined)
    return unknown(`rp_filter of ${device} cannot be read`, 'run this on the node itself');
  if (value !== 1) return ok(`rp_filter of ${device} is ${value === 0 ? 'off' : 'loose'}`);
  const ways = routes
    .filter(({ destination }) => destination === '0.0.0.0/0')
    .map((route) => route.interface);
  if (ways.length === 0 || ways.includes(device))
    return ok(`rp_filter of ${device} is strict, and replies leave by it`);
  return fail(
    `rp_filter of ${device} is strict, and the default route is ${ways.join(', ')}`,
    `sysctl -w net.ipv4.conf.${device}.rp_filter=2 (and in /etc/sysctl.d/)`,
  );
}

const reversePath: Check = {
  id: 'rp-filter',
  title: 'Reverse path filter',
  why: 'Where replies leave by another interface, a strict filter drops what clients of other subnets send.',
  run: async (context) => {
    const routes = await context.looks.routes();
    const devices = [...(await vipInterfaces(context))].filter(([, vips]) =>
      vips.some((vip) => !vip.includes(':')),
    );
    const findings = devices.map(async ([device]) =>
      judgeReversePath(device, await settingOf(context, 'ipv4', device, 'rp_filter'), routes),
    );
    return worstOf(await Promise.all(findings), `there is no IPv4 VIP with an interface: ${NO_VIP}`);
  },
};

export interface ArpLook {
  readonly device: string;
  readonly ignore: number | undefined;
  readonly filter: number | undefined;
  /** Other interfaces whose subnet holds the VIP as well. */
  readonly twins: readonly string[];
}

/**
 * The kernel's ip-sysctl.txt. With arp_ignore 2 an address answers only to its own subnet, and a VIP's is one address
 * wide; 4 to 7 are reserved; 8 answers for nothing.
 */
export function judgeArp({ device, ignore, filter, twins }: ArpLook): Finding {
  if (ignore === undefined)
    return unknown(`arp_ignore of ${device} cannot be read`, 'run this on the node itself');
  if (ignore === 2 || ignore === 8)
    return fail(
      `arp_ignore of ${device} is ${ignore}: nobody gets an answer for a VIP with /32`,
      `sysctl -w net.ipv4.conf.${device}.arp_ignore=1 net.ipv4.conf.all.arp_ignore=1 (and in /etc/sysctl.d/)`,
    );
  if (twins.length > 0 && ignore === 0 && filter !== 1)
    return warn(
      `${[device, ...twins].join(' and ')} are on the VIP's subnet, and each answers for it`,
      'sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 (and in /etc/sysctl.d/)',
    );
  return ok(`arp_ignore of ${device} is ${ignore}, which answers for a VIP on it`);
}

export function twinsOf(
  vip: string,
  device: string,
  interfaces: readonly NetworkInterface[],
): readonly string[] {
  const address = parseAddress(vip);
  return interfaces
    .filter(
      ({ name, addresses }) =>
        name !== device && address !== undefined && addresses.some((cidr) => isInSubnet(address, cidr)),
    )
    .map(({ name }) => name);
}

const arp: Check = {
  id: 'arp',
  title: 'Answering ARP for the VIP',
  why: 'A VIP that no ARP request gets an answer for is held and unreachable; from two cards it flaps.',
  run: async (context) => {
    const devices = [...(await vipInterfaces(context))];
    const findings = devices.map(async ([device, vips]) => {
      const vip = vips.find((each) => !each.includes(':'));
      if (vip === undefined) return [];
      const [ignore, filter] = await Promise.all(
        ['arp_ignore', 'arp_filter'].map((key) => settingOf(context, 'ipv4', device, key)),
      );
      return [judgeArp({ device, ignore, filter, twins: twinsOf(vip, device, context.looks.interfaces()) })];
    });
    return worstOf((await Promise.all(findings)).flat(), `there is no IPv4 VIP with an interface: ${NO_VIP}`);
  },
};

export function judgeIpv6(
  device: string,
  disabled: number | undefined,
  acceptDad: number | undefined,
): Finding {
  if (disabled === undefined)
    return fail(`there is no IPv6 on ${device}`, 'boot without ipv6.disable=1, or leave the IPv6 VIP out');
  if (disabled !== 0)
    return fail(
      `IPv6 is disabled on ${device}`,
      `sysctl -w net.ipv6.conf.${device}.disable_ipv6=0 (and in /etc/sysctl.d/)`,
    );
  if (acceptDad === 2)
    return warn(
      `accept_dad of ${device} is 2: one duplicate address turns IPv6 off there`,
      `sysctl -w net.ipv6.conf.${device}.accept_dad=1 net.ipv6.conf.all.accept_dad=1 (and in /etc/sysctl.d/)`,
    );
  return ok(`IPv6 is on for ${device}, accept_dad is ${acceptDad ?? 'unknown'}`);
}

const ipv6: Check = {
  id: 'ipv6',
  title: 'IPv6 where its VIP goes',
  why: 'An IPv6 VIP cannot be added where IPv6 is off: the node becomes holder of nothing.',
  run: async (context) => {
    const { looks, settings, files } = context;
    const vips = (await looks.vips()).filter((vip) => vip.includes(':'));
    if (vips.length === 0) return skip('there is no IPv6 VIP');
    const chosen = (await vipInterfaces(context)).keys();
    const devices = settings.interface === undefined ? [...chosen] : [settings.interface];
    const off = async (device: string) => await files.value(`/proc/sys/net/ipv6/conf/${device}/disable_ipv6`);
    const findings = devices.map(async (device) => {
      const disabled = await off(device);
      const dad = await settingOf(context, 'ipv6', device, 'accept_dad');
      return judgeIpv6(device, disabled === undefined ? undefined : Number(disabled), dad);
    });
    const everywhere = await off('all');
    if (devices.length === 0 && everywhere === '1') return judgeIpv6('all', 1, undefined);
    return worstOf(await Promise.all(findings), 'no interface fits the IPv6 VIP (see vip-interface)');
  },
};

export const kernelChecks: readonly Check[] = [nonlocalBind, reversePath, arp, ipv6];
