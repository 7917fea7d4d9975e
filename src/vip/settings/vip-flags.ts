import * as z from 'zod/mini';
import { fileForms, parsedBy } from '../../cli/fields.ts';
import { hostOf } from '../../engine/system/network/address-text.ts';
import type { HealthUrl } from '../../engine/system/network/ask-health.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { virtualRouterIdProblems } from '../group/virtual-router-id.ts';
import type { VirtualRouterIds } from '../group/vrrp.ts';

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

/**
 * `http://localhost:1936/healthz/ready`. A name would make the answer depend on DNS, and `localhost` is 127.0.0.1 so
 * that it does not depend on a resolver either.
 */
export const healthUrl = parsedBy(
  parseHealthUrl,
  'expected http(s)://ADDRESS[:PORT]/PATH with an address of this node, or localhost',
);

function parseHealthUrl(text: string): HealthUrl | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const secure = url.protocol === 'https:';
  const named = url.hostname === 'localhost' ? '127.0.0.1' : hostOf(url);
  const host = parseAddress(named)?.text;
  if (host === undefined) return undefined;
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { secure, host, port, path: `${url.pathname}${url.search}` };
}

/** `API,INGRESS`: two different ones. */
export const virtualRouterIdPair = z.pipe(
  z.string().check(z.regex(/^\d{1,3},\d{1,3}$/, { error: 'expected API,INGRESS such as 77,78' })),
  z.transform((text, context): VirtualRouterIds => {
    const [api = 0, ingress = 0] = text.split(',').map(Number);
    const [problem] = virtualRouterIdProblems({ api, ingress });
    if (problem === undefined) return { api, ingress };
    context.issues.push({ code: 'custom', input: text, message: problem });
    return z.NEVER;
  }),
);

virtualRouterIdPair.register(fileForms, {
  type: ['array', 'string'],
  items: { type: 'integer', minimum: 1, maximum: 255 },
});
