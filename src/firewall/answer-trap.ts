import * as z from 'zod/mini';
import { addressNumber } from '../model/node-address.ts';
import type { VrrpInstance } from '../model/vrrp.ts';
import { createIngressTable, type IngressRule } from './ingress-table.ts';
import type { NftOptions } from './nft.ts';
import { elementsOf } from './set-listing.ts';

/** An answer is forgotten after this: two looks that are further apart never see the same one. */
export const ANSWER_KEPT_MS = 500;

export type AskedVip = Pick<VrrpInstance, 'vip' | 'family' | 'interface'>;

export interface VipAnswer {
  readonly vip: string;
  readonly mac: string;
}

export interface AnswerTrap {
  /** From now on the kernel notes who says that it has one of these. Resolves with what went wrong. */
  readonly set: (asked: readonly AskedVip[]) => Promise<string | undefined>;
  /** What came in during the last `ANSWER_KEPT_MS`. */
  readonly answers: () => Promise<
    | { readonly kind: 'answers'; readonly answers: readonly VipAnswer[] }
    | { readonly kind: 'failed'; readonly message: string }
  >;
  /** Also what an earlier process left. */
  readonly remove: () => Promise<string | undefined>;
}

/**
 * Hears whoever answers for a VIP or announces it. Not from the kernel's table of neighbours: it takes no neighbour
 * advertisement for an IPv6 address of its own.
 */
export function createAnswerTrap(options: NftOptions = {}): AnswerTrap {
  const table = createIngressTable('hawser_split_brain', options);
  return {
    set: (asked) => table.load([setOf('ipv4'), setOf('ipv6')], asked.map(ruleOf)),
    answers: async () => {
      const listing = await table.list();
      return listing.kind === 'listed' ? { kind: 'answers', answers: parseAnswers(listing.json) } : listing;
    },
    remove: table.remove,
  };
}

function setOf(family: AskedVip['family']): string {
  const kept = `flags dynamic, timeout; timeout ${ANSWER_KEPT_MS}ms; size 256;`;
  return `set ${family} { type ${family}_addr . ether_addr; ${kept} }`;
}

/** ARP's sender (RFC 826), in an answer or in an announcement; the target of a neighbour advertisement (RFC 4861). */
function ruleOf({ vip, family, interface: device }: AskedVip): IngressRule {
  const rule =
    family === 'ipv4'
      ? `arp saddr ip ${vip} update @ipv4 { arp saddr ip . arp saddr ether }`
      : `icmpv6 type nd-neighbor-advert @th,64,128 ${addressNumber(vip)} update @ipv6 { ${vip} . ether saddr }`;
  return { interface: device, rule };
}

const answerSchema = z.tuple([z.string(), z.string()]);

/** What the sets hold, as `nft -j list table` prints them. Exported for its test. */
export function parseAnswers(json: string): readonly VipAnswer[] {
  return ['ipv4', 'ipv6'].flatMap((set) =>
    elementsOf(json, set).flatMap((element) => {
      const parsed = answerSchema.safeParse(element);
      return parsed.success ? { vip: parsed.data[0], mac: parsed.data[1] } : [];
    }),
  );
}
