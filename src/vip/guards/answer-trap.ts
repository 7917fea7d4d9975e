import * as z from 'zod/mini';
import { addressNumber } from '../../engine/system/network/node-address.ts';
import type { NftOptions } from '../../engine/system/nft/nft.ts';
import { elementsOf } from '../../engine/system/nft/set-listing.ts';
import type { VrrpInstance } from '../group/vrrp.ts';
import { createIngressTable, type IngressRule, ingressRuleset } from './ingress-table.ts';

export type AskedVip = Pick<VrrpInstance, 'vip' | 'family' | 'interface'>;

export interface VipAnswer {
  readonly vip: string;
  readonly mac: string;
}

export interface AnswerTrap {
  /** Makes the kernel record the hosts that claim one of these addresses. Resolves with an error message. */
  readonly set: (asked: readonly AskedVip[]) => Promise<string | undefined>;
  /** Discards the recorded answers. Resolves with an error message. */
  readonly forget: () => Promise<string | undefined>;
  /** The answers since the last `set` or `forget`, however late they are read. */
  readonly answers: () => Promise<
    | { readonly kind: 'answers'; readonly answers: readonly VipAnswer[] }
    | { readonly kind: 'failed'; readonly message: string }
  >;
  /** Also what an earlier process left. */
  readonly remove: () => Promise<string | undefined>;
}

/**
 * Hears every host that answers for a VIP or announces it. Not from the kernel's table of neighbours: it takes no neighbour
 * advertisement for an IPv6 address of its own.
 */
export function createAnswerTrap(options: NftOptions = {}): AnswerTrap {
  const table = createIngressTable('hawser_split_brain', options);
  return {
    set: (asked) => table.load(answerSets, asked.map(answerRuleOf)),
    forget: () => table.flush(FAMILIES),
    answers: async () => {
      const listing = await table.list();
      return listing.kind === 'listed' ? { kind: 'answers', answers: parseAnswers(listing.json) } : listing;
    },
    remove: table.remove,
  };
}

/**
 * The same trap as text, for a program that runs nft by itself: it replaces the table `netdev NAME`. `parseAnswers` reads
 * what nft lists of it.
 */
export function answerTrapRuleset(table: string, asked: readonly AskedVip[]): string {
  return ingressRuleset(table, answerSets, asked.map(answerRuleOf));
}

/** Each has a set of its name. */
export const FAMILIES = ['ipv4', 'ipv6'] as const;

export const answerSets: readonly string[] = FAMILIES.map(
  (family) => `set ${family} { type ${family}_addr . ether_addr; flags dynamic; size 256; }`,
);

/** ARP's sender (RFC 826), in an answer or in an announcement; the target of a neighbour advertisement (RFC 4861). */
export function answerRuleOf({ vip, family, interface: device }: AskedVip): IngressRule {
  const rule =
    family === 'ipv4'
      ? `arp saddr ip ${vip} add @ipv4 { arp saddr ip . arp saddr ether }`
      : `icmpv6 type nd-neighbor-advert @th,64,128 ${addressNumber(vip)} add @ipv6 { ${vip} . ether saddr }`;
  return { interface: device, rule };
}

const answerSchema = z.tuple([z.string(), z.string()]);

/** The content of the sets, as `nft -j list table` prints them. */
export function parseAnswers(json: string): readonly VipAnswer[] {
  return FAMILIES.flatMap((set) =>
    elementsOf(json, set).flatMap((element) => {
      const parsed = answerSchema.safeParse(element);
      return parsed.success ? { vip: parsed.data[0], mac: parsed.data[1] } : [];
    }),
  );
}
