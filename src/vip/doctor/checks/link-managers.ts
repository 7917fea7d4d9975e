import {
  type Check,
  type Finding,
  ok,
  skip,
  unlessUnseen,
  warn,
  worstOf,
} from '../../../engine/examine/check.ts';
import type { HostProcess } from '../../../engine/examine/host-processes.ts';
import type { VipContext } from '../context.ts';
import { isNamed, type NetworkFile, networkFileOf, unmanagedDevices } from '../look/link-managers.ts';
import { vipInterfaces } from '../look/vip-interfaces.ts';

async function devicesOf(context: VipContext): Promise<readonly string[]> {
  const wanted = context.settings.interface;
  return wanted === undefined ? [...(await vipInterfaces(context)).keys()] : [wanted];
}

function find(processes: readonly HostProcess[], program: string): HostProcess | undefined {
  return processes.find(
    ({ name, argv }) => name === program.slice(0, 15) || argv[0]?.endsWith(`/${program}`) === true,
  );
}

function judgeNetworkd(device: string, file: NetworkFile | undefined): Finding {
  if (file === undefined) return ok(`no .network file is about ${device}`);
  if (['yes', 'true', '1', 'on', 'static'].includes(file.keep ?? ''))
    return ok(`${file.path} has KeepConfiguration=${file.keep}`);
  const name = file.path.split('/').at(-1);
  return warn(
    `systemd-networkd manages ${device} by ${file.path}, without KeepConfiguration=`,
    `mkdir -p /etc/systemd/network/${name}.d; printf '[Network]\\nKeepConfiguration=static\\n' > /etc/systemd/network/${name}.d/vip.conf; networkctl reload`,
  );
}

const networkd: Check<VipContext> = {
  id: 'networkd',
  title: 'systemd-networkd',
  why: 'When it restarts it removes addresses that it did not add: the VIP is gone until it is restored.',
  run: async (context) => {
    if (find(await context.readings.processes(), 'systemd-networkd') === undefined)
      return await unlessUnseen(context, skip('it does not run here'));
    const findings = (await devicesOf(context)).map(async (device) =>
      judgeNetworkd(device, await networkFileOf(context.files, device)),
    );
    return worstOf(await Promise.all(findings), 'no interface is known for a VIP');
  },
};

function judgeNetworkManager(device: string, unmanaged: readonly string[]): Finding {
  if (isNamed(unmanaged, device)) return ok(`it leaves ${device} alone`);
  return warn(
    `NetworkManager manages ${device}`,
    `avoid nmcli device reapply and connection up on ${device}, or: printf '[keyfile]\\nunmanaged-devices+=interface-name:${device}\\n' > /etc/NetworkManager/conf.d/vip.conf (then another tool has to configure ${device})`,
  );
}

const networkManager: Check<VipContext> = {
  id: 'networkmanager',
  title: 'NetworkManager',
  why: 'When it reactivates a connection it removes addresses that are not its own, such as the VIP.',
  run: async (context) => {
    if (find(await context.readings.processes(), 'NetworkManager') === undefined)
      return await unlessUnseen(context, skip('it does not run here'));
    const unmanaged = await unmanagedDevices(context.files);
    return worstOf(
      (await devicesOf(context)).map((device) => judgeNetworkManager(device, unmanaged)),
      'no interface is known for a VIP',
    );
  },
};

export const linkManagerChecks: readonly Check<VipContext>[] = [networkd, networkManager];
