import type { HealthUrl } from '../../engine/system/network/ask-health.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';

/** Problems of a node's VIPs as a whole, however each of them looks. */
export function vipFlagProblems(flags: {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly ingressHealth?: HealthUrl | undefined;
}): readonly string[] {
  const { apiVips, ingressVips, ingressHealth } = flags;
  return [
    ...vipProblems(apiVips, ingressVips),
    ...(ingressHealth === undefined
      ? []
      : healthProblems(ingressHealth, ingressVips, [...apiVips, ...ingressVips])),
  ];
}

function vipProblems(apiVips: readonly string[], ingressVips: readonly string[]): readonly string[] {
  const both = apiVips.filter((vip) => ingressVips.includes(vip));
  return [
    ...(apiVips.length + ingressVips.length === 0
      ? ['Cannot do without --api-vips and --ingress-vips: expected at least one of them']
      : []),
    ...familyProblems('--api-vips', apiVips),
    ...familyProblems('--ingress-vips', ingressVips),
    ...both.map((vip) => `Cannot use --ingress-vips "${vip}": it is the API's already, expected another one`),
  ];
}

/** Behind a VIP, its current holder answers. */
function healthProblems(
  { host }: HealthUrl,
  ingressVips: readonly string[],
  vips: readonly string[],
): readonly string[] {
  if (vips.includes(host))
    return [`Cannot use --ingress-health at ${host}: it is a VIP, expected localhost or this node's address`];
  return ingressVips.length > 0
    ? []
    : ['Cannot use --ingress-health without --ingress-vips: expected a VIP that it counts for'];
}

/** Two VIPs of one family would be two instances of one virtual router id. */
function familyProblems(flag: string, vips: readonly string[]): readonly string[] {
  const families = vips.map((vip) => parseAddress(vip)?.family);
  return new Set(families).size === families.length
    ? []
    : [`Cannot use ${flag} "${vips.join(',')}": expected at most one IPv4 and one IPv6 address`];
}
