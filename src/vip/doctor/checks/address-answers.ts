import {
  type Check,
  type Finding,
  fail,
  ok,
  skip,
  unknown,
  warn,
  worstOf,
} from '../../../engine/examine/check.ts';
import { isInSubnet, parseAddress } from '../../../engine/system/network/node-address.ts';
import type { NetworkInterface } from '../../../engine/system/network/routes.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { interfaceSetting, vipInterfaces } from '../look/vip-interfaces.ts';

interface ArpSettings {
  readonly device: string;
  readonly ignore: number | undefined;
  readonly filter: number | undefined;
  /** Whether a subnet of the interface holds the VIP. */
  readonly isInside: boolean;
  /** Other interfaces whose subnet holds the VIP as well. */
  readonly twins: readonly string[];
}

/**
 * ip-sysctl.txt of the kernel: with 2, only hosts in one of the interface's subnets get an answer; with 8, no host
 * does.
 */
function judgeArp({ device, ignore, filter, twins, isInside }: ArpSettings): Finding {
  if (ignore === undefined)
    return unknown(`arp_ignore of ${device} cannot be read`, 'run this on the node itself');
  if (ignore === 8 || (ignore === 2 && !isInside))
    return fail(
      `arp_ignore of ${device} is ${ignore}: no host gets an answer for the VIP`,
      `sysctl -w net.ipv4.conf.${device}.arp_ignore=1 net.ipv4.conf.all.arp_ignore=1 (and in /etc/sysctl.d/)`,
    );
  if (twins.length > 0 && ignore === 0 && filter !== 1)
    return warn(
      `${[device, ...twins].join(' and ')} are on the VIP's subnet, and each answers for it`,
      'sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 (and in /etc/sysctl.d/)',
    );
  return ok(`arp_ignore of ${device} is ${ignore}, which answers for a VIP on it`);
}

/** The interfaces with a subnet that holds the VIP; an address of its own is no subnet. */
function subnetsWith(vip: string, interfaces: readonly NetworkInterface[]): readonly string[] {
  const address = parseAddress(vip);
  return interfaces
    .filter(({ addresses }) =>
      addresses.some((cidr) => !cidr.endsWith('/32') && address !== undefined && isInSubnet(address, cidr)),
    )
    .map(({ name }) => name);
}

const arp: Check<VipContext> = {
  id: 'arp',
  title: 'Answering ARP for the VIP',
  why: 'If ARP requests for the VIP get no answer, it is held and unreachable; if two interfaces answer, it flaps.',
  run: async (context) => {
    const devices = [...(await vipInterfaces(context))];
    const findings = devices.map(async ([device, vips]) => {
      const vip = vips.find((each) => !each.includes(':'));
      if (vip === undefined) return [];
      const [ignore, filter] = await Promise.all(
        ['arp_ignore', 'arp_filter'].map((key) => interfaceSetting(context, 'ipv4', device, key)),
      );
      const names = subnetsWith(vip, context.readings.interfaces());
      const twins = names.filter((name) => name !== device);
      return [judgeArp({ device, ignore, filter, twins, isInside: names.includes(device) })];
    });
    return worstOf((await Promise.all(findings)).flat(), `there is no IPv4 VIP with an interface: ${NO_VIP}`);
  },
};

function judgeIpv6(device: string, disabled: number | undefined): Finding {
  if (disabled === undefined)
    return fail(`there is no IPv6 on ${device}`, 'boot without ipv6.disable=1, or leave the IPv6 VIP out');
  if (disabled !== 0)
    return fail(
      `IPv6 is disabled on ${device}`,
      `sysctl -w net.ipv6.conf.${device}.disable_ipv6=0 (and in /etc/sysctl.d/)`,
    );
  return ok(`IPv6 is on for ${device}`);
}

const ipv6: Check<VipContext> = {
  id: 'ipv6',
  title: 'IPv6 where its VIP goes',
  why: 'With IPv6 off an IPv6 VIP cannot be added: the node would hold nothing.',
  run: async (context) => {
    const { readings, settings, files } = context;
    const vips = (await readings.vips()).filter((vip) => vip.includes(':'));
    if (vips.length === 0) return skip('there is no IPv6 VIP');
    const chosen = (await vipInterfaces(context)).keys();
    const devices = settings.interface === undefined ? [...chosen] : [settings.interface];
    const off = async (device: string) => await files.value(`/proc/sys/net/ipv6/conf/${device}/disable_ipv6`);
    const findings = devices.map(async (device) => {
      const disabled = await off(device);
      return judgeIpv6(device, disabled === undefined ? undefined : Number(disabled));
    });
    const everywhere = await off('all');
    if (devices.length === 0 && everywhere === '1') return judgeIpv6('all', 1);
    return worstOf(await Promise.all(findings), 'no interface fits the IPv6 VIP (see vip-interface)');
  },
};

export const addressAnswerChecks: readonly Check<VipContext>[] = [arp, ipv6];
