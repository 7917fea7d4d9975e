import { type Check, type Finding, fail, ok, unknown, worstOf } from '../../../engine/examine/check.ts';
import type { NetworkRoute } from '../../../engine/system/network/routes.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { interfaceSetting, vipInterfaces } from '../look/vip-interfaces.ts';

function judgeReversePath(
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

const reversePath: Check<VipContext> = {
  id: 'rp-filter',
  title: 'Reverse path filter',
  why: 'If replies leave by another interface, a strict filter drops packets from other subnets.',
  run: async (context) => {
    const routes = await context.readings.routes();
    const devices = [...(await vipInterfaces(context))].filter(([, vips]) =>
      vips.some((vip) => !vip.includes(':')),
    );
    const findings = devices.map(async ([device]) =>
      judgeReversePath(device, await interfaceSetting(context, 'ipv4', device, 'rp_filter'), routes),
    );
    return worstOf(await Promise.all(findings), `there is no IPv4 VIP with an interface: ${NO_VIP}`);
  },
};

export const reversePathChecks: readonly Check<VipContext>[] = [reversePath];
