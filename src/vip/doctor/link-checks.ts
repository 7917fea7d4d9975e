import {
  type Check,
  checkOf,
  type FactReader,
  type Finding,
  fail,
  ok,
  read,
  skip,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { HostProcess } from '../../engine/examine/host-processes.ts';
import { isSingleAddress } from '../../engine/system/network/address-text.ts';
import { isInSubnet, parseAddress } from '../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../engine/system/network/routes.ts';
import { chooseVipInterface, vipProblems } from '../group/vip-interface.ts';
import { NO_VIP, type VipContext } from './context.ts';
import { devices, links, type VipLink, vips } from './facts.ts';
import { isNamed, type NetworkFile, networkFileOf, unmanagedDevices } from './link-managers.ts';

const NO_LINK = `there is no IPv4 VIP with an interface: ${NO_VIP}`;

const hasIpv4 = (link: VipLink): boolean => link.vips.some((vip) => !vip.includes(':'));

/**
 * According to the kernel's ip-sysctl.txt, with `arp_ignore` 2 only hosts in a subnet of the interface get an answer, and with 8 no
 * host does.
 */
function judgeArp({ device, arpIgnore, arpFilter, onSubnet }: VipLink): Finding {
  if (arpIgnore === undefined)
    return unknown(`arp_ignore of ${device} cannot be read`, 'run this on the node itself');
  if (arpIgnore === 8 || (arpIgnore === 2 && !onSubnet.includes(device)))
    return fail(
      `arp_ignore of ${device} is ${arpIgnore}: no host gets an answer for the VIP`,
      `sysctl -w net.ipv4.conf.${device}.arp_ignore=1 net.ipv4.conf.all.arp_ignore=1 (and in /etc/sysctl.d/)`,
    );
  const twins = onSubnet.filter((name) => name !== device);
  if (twins.length > 0 && arpIgnore === 0 && arpFilter !== 1)
    return warn(
      `${[device, ...twins].join(' and ')} are on the VIP's subnet, and each answers for it`,
      'sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 (and in /etc/sysctl.d/)',
    );
  return ok(`arp_ignore of ${device} is ${arpIgnore}, which answers for a VIP on it`);
}

export const arp: Check<VipContext> = checkOf({
  id: 'arp',
  title: 'ARP answers for the VIP',
  why: 'If ARP requests for the VIP get no answer, it is held and unreachable; if two interfaces answer, it flaps.',
  isFirst: true,
  needs: { links },
  none: NO_LINK,
  judge: (facts) => facts.links.filter(hasIpv4).map(judgeArp),
});

function judgeIpv6(device: string, disabled: string | undefined): Finding {
  if (disabled === undefined)
    return fail(`there is no IPv6 on ${device}`, 'boot without ipv6.disable=1, or leave the IPv6 VIP out');
  if (Number(disabled) !== 0)
    return fail(
      `IPv6 is disabled on ${device}`,
      `sysctl -w net.ipv6.conf.${device}.disable_ipv6=0 (and in /etc/sysctl.d/)`,
    );
  return ok(`IPv6 is enabled on ${device}`);
}

/** `disable_ipv6` of each interface of the VIPs, or of `all` if no interface is chosen because IPv6 is off. */
const ipv6Off: FactReader<VipContext, readonly (readonly [string, string | undefined])[]> = async (
  context,
) => {
  const { readings, files } = context;
  if (!(await readings.vips()).some((vip) => vip.includes(':'))) return skip('there is no IPv6 VIP');
  const names = await devices(context);
  const off = async (device: string) =>
    [device, await files.value(`/proc/sys/net/ipv6/conf/${device}/disable_ipv6`)] as const;
  const chosen = names.kind === 'read' ? names.value : [];
  const everywhere = await off('all');
  if (chosen.length === 0) return read(everywhere[1] === '1' ? [everywhere] : []);
  return read(await Promise.all(chosen.map(off)));
};

export const ipv6: Check<VipContext> = checkOf({
  id: 'ipv6',
  title: "IPv6 on the VIP's interface",
  why: 'With IPv6 off an IPv6 VIP cannot be added: the node would hold nothing.',
  needs: { ipv6Off },
  none: 'no interface fits the IPv6 VIP (see vip-interface)',
  judge: (facts) => facts.ipv6Off.map(([device, disabled]) => judgeIpv6(device, disabled)),
});

function judgeReversePath({ device, rpFilter }: VipLink, all: readonly NetworkRoute[]): Finding {
  if (rpFilter === undefined)
    return unknown(`rp_filter of ${device} cannot be read`, 'run this on the node itself');
  if (rpFilter !== 1) return ok(`rp_filter of ${device} is ${rpFilter === 0 ? 'off' : 'loose'}`);
  const defaults = all
    .filter(({ destination }) => destination === '0.0.0.0/0')
    .map((route) => route.interface);
  if (defaults.length === 0 || defaults.includes(device))
    return ok(`rp_filter of ${device} is strict, and replies leave by it`);
  return fail(
    `rp_filter of ${device} is strict, and the default route is ${defaults.join(', ')}`,
    `sysctl -w net.ipv4.conf.${device}.rp_filter=2 (and in /etc/sysctl.d/)`,
  );
}

const routes: FactReader<VipContext, readonly NetworkRoute[]> = async ({ readings }) =>
  read(await readings.routes());

export const reversePath: Check<VipContext> = checkOf({
  id: 'rp-filter',
  title: 'Reverse path filter',
  why: 'If replies leave by another interface, a strict filter drops packets from other subnets.',
  isFirst: true,
  needs: { links, routes },
  none: NO_LINK,
  judge: (facts) => facts.links.filter(hasIpv4).map((link) => judgeReversePath(link, facts.routes)),
});

/** Judges the interface of a VIP, and whether the address can be a VIP on this node. */
export function judgeVipInterface(
  vip: string,
  interfaces: readonly NetworkInterface[],
  all: readonly NetworkRoute[],
  requested?: string,
): Finding {
  const [problem] = vipProblems(vip, { interfaces, routes: all, interface: requested, isOurs: true });
  const chosen = chooseVipInterface(vip, interfaces, all, requested);
  if (problem !== undefined || chosen.kind === 'none')
    return fail(
      `${vip}: ${problem?.replace(/^Cannot .* VIP "[^"]*": /, '')}`,
      'ip -br address; then correct --api-vips or name the interface: --interface NAME',
    );
  const address = parseAddress(vip);
  const { addresses = [] } = interfaces.find(({ name }) => name === chosen.name) ?? {};
  const isInside =
    address !== undefined && addresses.some((cidr) => isInSubnet(address, cidr) && !isSingleAddress(cidr));
  if (isInside) return ok(`${vip} belongs on ${chosen.name} (${addresses.join(' ')})`);
  return warn(
    `${vip} is in no subnet of ${chosen.name} (${addresses.join(' ')})`,
    `make sure that routers send ${vip} to this segment, or choose an address inside the subnet`,
  );
}

export const vipInterface: Check<VipContext> = checkOf({
  id: 'vip-interface',
  title: "The VIP's subnet",
  why: 'Neighbours find a VIP by ARP or NDP: on the wrong interface or subnet no host ever queries this node.',
  needs: {
    vips,
    routes,
    here: ({ readings, settings }: VipContext) =>
      read({ interfaces: readings.interfaces(), requested: settings.interface }),
  },
  judge: ({ vips: all, here, ...facts }) =>
    all.map((vip) => judgeVipInterface(vip, here.interfaces, facts.routes, here.requested)),
});

function find(processes: readonly HostProcess[], program: string): HostProcess | undefined {
  return processes.find(
    ({ name, argv }) => name === program.slice(0, 15) || argv[0]?.endsWith(`/${program}`) === true,
  );
}

/** Calls `readDevice` for each interface of the VIPs; skipped unless this program runs. */
function managed<T>(
  program: string,
  readDevice: (context: VipContext, device: string) => Promise<T>,
): FactReader<VipContext, readonly (readonly [string, T])[]> {
  return async (context) => {
    if (find(await context.readings.processes(), program) === undefined) return skip('it does not run here');
    const names = await devices(context);
    if (names.kind !== 'read') return names;
    return read(
      await Promise.all(names.value.map(async (name) => [name, await readDevice(context, name)] as const)),
    );
  };
}

function judgeNetworkd(device: string, file: NetworkFile | undefined): Finding {
  if (file === undefined) return ok(`no .network file matches ${device}`);
  if (['yes', 'true', '1', 'on', 'static'].includes(file.keep ?? ''))
    return ok(`${file.path} has KeepConfiguration=${file.keep}`);
  const name = file.path.split('/').at(-1);
  return warn(
    `systemd-networkd manages ${device} through ${file.path}, without KeepConfiguration=`,
    `mkdir -p /etc/systemd/network/${name}.d; printf '[Network]\\nKeepConfiguration=static\\n' > /etc/systemd/network/${name}.d/vip.conf; networkctl reload`,
  );
}

const networkdFiles = managed(
  'systemd-networkd',
  async ({ files }, device) => await networkFileOf(files, device),
);

const unmanagedHere = managed('NetworkManager', async ({ files }, device) =>
  isNamed(await unmanagedDevices(files), device),
);

export const networkd: Check<VipContext> = checkOf({
  id: 'networkd',
  title: 'systemd-networkd',
  why: 'When it restarts it removes addresses that it did not add: the VIP is gone until it is restored.',
  isFirst: true,
  needs: { files: networkdFiles },
  none: 'no interface is known for a VIP',
  unlessUnseen: ['skip'],
  judge: ({ files }) => files.map(([device, file]) => judgeNetworkd(device, file)),
});

export const networkManager: Check<VipContext> = checkOf({
  id: 'networkmanager',
  title: 'NetworkManager',
  why: 'When it reactivates a connection it removes addresses that are not its own, such as the VIP.',
  isFirst: true,
  needs: { unmanaged: unmanagedHere },
  none: 'no interface is known for a VIP',
  unlessUnseen: ['skip'],
  judge: ({ unmanaged }) =>
    unmanaged.map(([device, isUnmanaged]) =>
      isUnmanaged
        ? ok(`it does not manage ${device}`)
        : warn(
            `NetworkManager manages ${device}`,
            `avoid nmcli device reapply and connection up on ${device}, or: printf '[keyfile]\\nunmanaged-devices+=interface-name:${device}\\n' > /etc/NetworkManager/conf.d/vip.conf (then another tool has to configure ${device})`,
          ),
    ),
});
