import type { NftOptions } from '../../engine/system/nft/nft.ts';
import { elementsOf } from '../../engine/system/nft/set-listing.ts';
import { vipAtAnyPlace } from './advert-trap.ts';
import {
  type AskedVip,
  answerRuleOf,
  answerSets,
  FAMILIES,
  parseAnswers,
  type VipAnswer,
} from './answer-trap.ts';
import { createIngressTable, type IngressRule } from './ingress-table.ts';

export interface VipUseTrap {
  /** From now on the kernel notes who says that it has one of these, and adverts of them. Resolves with what went wrong. */
  readonly set: (asked: readonly AskedVip[]) => Promise<string | undefined>;
  /** What was noted since it was set or last read, however late it is asked. It is forgotten then, and nothing before. */
  readonly take: () => Promise<VipUseSeen | { readonly kind: 'failed'; readonly message: string }>;
  /** Also what an earlier process left. */
  readonly remove: () => Promise<string | undefined>;
}

export interface VipUseSeen {
  readonly kind: 'seen';
  readonly answers: readonly VipAnswer[];
  /** The VIPs of which an advert came in. */
  readonly advertised: ReadonlySet<string>;
}

/** Hears who holds a VIP, and whether its holder sends its adverts to this node. */
export function createVipUseTrap(options: NftOptions = {}): VipUseTrap {
  const table = createIngressTable('hawser_vip_use', options);
  const rulesOf = (each: AskedVip): readonly IngressRule[] => [answerRuleOf(each), ...advertRulesOf(each)];
  return {
    set: (asked) => table.load([...answerSets, ...advertSets], asked.flatMap(rulesOf)),
    take: async () => {
      const listing = await table.list();
      if (listing.kind === 'failed') return listing;
      const message = await table.flush([...FAMILIES, ...ADVERTS]);
      if (message !== undefined) return { kind: 'failed', message };
      return { kind: 'seen', answers: parseAnswers(listing.json), advertised: parseAdvertised(listing.json) };
    },
    remove: table.remove,
  };
}

const ADVERTS = FAMILIES.map((family) => `adverts_${family}`);
const advertSets = FAMILIES.map(
  (family) => `set adverts_${family} { type ${family}_addr . ether_addr; flags dynamic; size 256; }`,
);

/** Priority 0 is a goodbye. */
function advertRulesOf({ vip, family, interface: device }: AskedVip): readonly IngressRule[] {
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
  return vipAtAnyPlace(family, vip).map((isThere) => ({
    interface: device,
    rule: `${header} @th,16,8 != 0 ${isThere} add @adverts_${family} { ${vip} . ether saddr }`,
  }));
}

function parseAdvertised(json: string): ReadonlySet<string> {
  const elements = ADVERTS.flatMap((set) => elementsOf(json, set));
  return new Set(elements.flatMap(([vip]) => (typeof vip === 'string' ? vip : [])));
}
