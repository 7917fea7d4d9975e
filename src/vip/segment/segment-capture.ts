import * as z from 'zod/mini';
import type { Answer } from '../../engine/system/network/neighbours.ts';
import { addressNumber } from '../../engine/system/network/node-address.ts';
import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { elementsOf, type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import type { VrrpInstance } from '../group/vrrp.ts';
import {
  foreignRules,
  foreignSets,
  type IngressRule,
  parseForeign,
  vipAtAnyPlace,
} from './foreign-adverts.ts';
import type { ForeignAdvert, WatchedRouterId } from './foreign-router.ts';

export type AskedVip = Pick<VrrpInstance, 'vip' | 'family' | 'interface'>;

export interface SegmentTargets {
  readonly vips: readonly AskedVip[];
  readonly routerIds: readonly WatchedRouterId[];
}

export interface SegmentSeen {
  /** Every host that answers for a VIP or announces it. */
  readonly answers: readonly Answer[];
  /** The VIPs of which an advert came in: their holder sends its adverts to this node. */
  readonly advertised: ReadonlySet<string>;
  readonly foreign: readonly ForeignAdvert[];
}

/**
 * A table of ours in which the kernel notes what comes in. It only listens, and sees every packet before any other rule may
 * drop it. Each call resolves with an error message if it fails.
 */
export interface SegmentCapture {
  /** Captures these from now on, and forgets all else. */
  readonly set: (targets: SegmentTargets) => Promise<string | undefined>;
  /** What came in since the last `set` or `flush`, however late it is read. */
  readonly read: () => Promise<SegmentSeen | string>;
  /** Foreign adverts are never flushed: their sets fill for as long as they are listened for. */
  readonly flush: (which: 'answers' | 'adverts') => Promise<string | undefined>;
  /** Also the table of an earlier process; a missing one is not an error. */
  readonly remove: () => Promise<string | undefined>;
}

const NAME = 'hawser_segment';

export function createSegmentCapture(options: NftOptions = {}): SegmentCapture {
  const table = `netdev ${NAME}`;
  const nft = nftFor(table, options);
  let targets: SegmentTargets = { vips: [], routerIds: [] };
  const load = async (ruleset: string): Promise<string | undefined> => {
    const outcome = await nft(['-f', '-'], ruleset);
    return outcome.ok ? undefined : outcome.message;
  };
  return {
    set: (wanted) => {
      targets = wanted;
      return load(captureRuleset(table, wanted));
    },
    read: async () => {
      const outcome = await nft(['-j', 'list', 'table', 'netdev', NAME], undefined);
      return outcome.ok ? parseCapture(outcome.stdout, targets) : outcome.message;
    },
    flush: (which) =>
      load(
        Object.keys(which === 'answers' ? ANSWERS : ADVERTS)
          .map((set) => `flush set ${table} ${set}\n`)
          .join(''),
      ),
    remove: () => load(forgetTable(table)),
  };
}

/** Replaces `table` in one transaction. */
export function captureRuleset(table: string, { vips, routerIds }: SegmentTargets): string {
  const sets = Object.entries({ ...ANSWERS, ...ADVERTS, ...foreignSets(routerIds) }).map(
    ([name, definition]) => `set ${name} { ${definition} }`,
  );
  // The rules about foreign adverts come last: they pass over what is ours.
  const rules = [...vips.map(answerRuleOf), ...vips.flatMap(advertRulesOf), ...foreignRules(routerIds)];
  const devices = [...new Set(rules.map((each) => each.interface))];
  const chains = devices.flatMap((device, index) => [
    `chain device${index} {`,
    `type filter hook ingress device "${device}" priority -500; policy accept;`,
    ...rules.filter((each) => each.interface === device).map(({ rule }) => rule),
    '}',
  ]);
  return `${forgetTable(table)}table ${table} {\n${[...sets, ...chains].join('\n')}\n}\n`;
}

/** A set for each family, of addresses and hardware addresses. */
function pairSets(prefix: string): Readonly<Record<string, string>> {
  const definition = (family: string) => `type ${family}_addr . ether_addr; flags dynamic; size 256;`;
  return Object.fromEntries(['ipv4', 'ipv6'].map((family) => [`${prefix}${family}`, definition(family)]));
}

const ANSWERS = pairSets('answers_');
const ADVERTS = pairSets('adverts_');

/**
 * ARP's sender (RFC 826), in an answer or in an announcement; the target of a neighbour advertisement (RFC 4861). Not from the
 * kernel's table of neighbours: it takes no neighbour advertisement for an IPv6 address of its own.
 */
function answerRuleOf({ vip, family, interface: device }: AskedVip): IngressRule {
  const rule =
    family === 'ipv4'
      ? `arp saddr ip ${vip} add @answers_ipv4 { arp saddr ip . arp saddr ether }`
      : `icmpv6 type nd-neighbor-advert @th,64,128 ${addressNumber(vip)} add @answers_ipv6 { ${vip} . ether saddr }`;
  return { interface: device, rule };
}

/** Priority 0 is a goodbye. */
function advertRulesOf({ vip, family, interface: device }: AskedVip): readonly IngressRule[] {
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
  return vipAtAnyPlace(family, vip).map((isThere) => ({
    interface: device,
    rule: `${header} @th,16,8 != 0 ${isThere} add @adverts_${family} { ${vip} . ether saddr }`,
  }));
}

/** The content of the sets, as `nft -j list table` prints them. */
export function parseCapture(json: string, { routerIds }: Pick<SegmentTargets, 'routerIds'>): SegmentSeen {
  return {
    answers: pairsIn(json, ANSWERS),
    advertised: new Set(pairsIn(json, ADVERTS).map(({ address }) => address)),
    foreign: parseForeign(json, routerIds),
  };
}

const pairSchema = z.tuple([z.string(), z.string()]);

function pairsIn(json: string, sets: Readonly<Record<string, string>>): readonly Answer[] {
  return Object.keys(sets).flatMap((set) =>
    elementsOf(json, set).flatMap((element) => {
      const parsed = pairSchema.safeParse(element);
      return parsed.success ? { address: parsed.data[0], mac: parsed.data[1] } : [];
    }),
  );
}
