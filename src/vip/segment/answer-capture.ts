import * as z from 'zod/mini';
import type { Answer } from '../../engine/system/network/neighbours.ts';
import { addressNumber } from '../../engine/system/network/node-address.ts';
import { elementsOf } from '../../engine/system/nft/nft.ts';
import type { VrrpInstance } from '../group/vrrp.ts';
import type { CaptureForm, IngressRule } from './capture.ts';

export type AskedVip = Pick<VrrpInstance, 'vip' | 'family' | 'interface'>;

/** Each has a set of its name. */
const FAMILIES = ['ipv4', 'ipv6'] as const;

/**
 * Every host that answers for a VIP or announces it. Not from the kernel's table of neighbours: it takes no neighbour
 * advertisement for an IPv6 address of its own.
 */
export const answerForm: CaptureForm<AskedVip, readonly Answer[]> = {
  sets: () => setsOfPairs(''),
  rules: (asked) => asked.map(answerRuleOf),
  parse: parseAnswers,
};

/** A set for each family, of addresses and hardware addresses. */
export function setsOfPairs(prefix: string): Readonly<Record<string, string>> {
  const definition = (family: string) => `type ${family}_addr . ether_addr; flags dynamic; size 256;`;
  return Object.fromEntries(FAMILIES.map((family) => [`${prefix}${family}`, definition(family)]));
}

/** ARP's sender (RFC 826), in an answer or in an announcement; the target of a neighbour advertisement (RFC 4861). */
function answerRuleOf({ vip, family, interface: device }: AskedVip): IngressRule {
  const rule =
    family === 'ipv4'
      ? `arp saddr ip ${vip} add @ipv4 { arp saddr ip . arp saddr ether }`
      : `icmpv6 type nd-neighbor-advert @th,64,128 ${addressNumber(vip)} add @ipv6 { ${vip} . ether saddr }`;
  return { interface: device, rule };
}

const answerSchema = z.tuple([z.string(), z.string()]);

/** The content of the sets, as `nft -j list table` prints them. */
export function parseAnswers(json: string): readonly Answer[] {
  return FAMILIES.flatMap((set) =>
    elementsOf(json, set).flatMap((element) => {
      const parsed = answerSchema.safeParse(element);
      return parsed.success ? { address: parsed.data[0], mac: parsed.data[1] } : [];
    }),
  );
}
