import * as z from 'zod/mini';
import type { Answer } from '../../engine/system/network/neighbours.ts';
import { addressNumber, addressOfNumber } from '../../engine/system/network/node-address.ts';
import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { elementsOf, type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import type { VrrpInstance } from '../group/vrrp.ts';
import { type ForeignAdvert, VRRP_VERSION, type WatchedRouterId } from './foreign-router.ts';

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
  const rules = [
    ...vips.map(answerRuleOf),
    ...vips.flatMap(advertRulesOf),
    ...routerIds.flatMap(foreignRulesOf),
  ];
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
  const header = headerOf(family);
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

/** An advert of more VIPs than this, ours behind them, counts as foreign. */
const VIPS_LOOKED_AT = { ipv4: 8, ipv6: 4 };

/** One rule for what comes in on one interface, in nft's language. */
interface IngressRule {
  readonly interface: string;
  readonly rule: string;
}

/**
 * The hosts that advertise one of these ids without its VIP or in another version of VRRP, or the VIP with another id, by
 * multicast or to this node alone, without a raw socket: the kernel keeps what each packet said in a set.
 */
function foreignSets(watched: readonly WatchedRouterId[]): Readonly<Record<string, string>> {
  const definition = (family: WatchedRouterId['family']) =>
    `typeof ${fieldsOf(family)}; flags dynamic; size 256;`;
  return Object.fromEntries(watched.map(({ family }, index) => [setName(index), definition(family)]));
}

/**
 * Fields that both address families have at the same place, in VRRP 2 and 3: version, type, id and priority in the
 * first three bytes, and addresses from the eighth byte on. The three bytes are one field: with two adjacent fields nft
 * 1.0.6 writes the set, but fails an assertion when it lists it.
 */
function fieldsOf(family: WatchedRouterId['family']): string {
  return family === 'ipv4' ? 'ip saddr . @th,0,24 . @th,64,32' : 'ip6 saddr . @th,0,24 . @th,64,128';
}

function setName(index: number): string {
  return `heard${index}`;
}

function headerOf(family: WatchedRouterId['family']): string {
  return family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
}

/** Priority 0 is a goodbye. */
function foreignRulesOf(watched: WatchedRouterId, index: number): readonly IngressRule[] {
  const { virtualRouterId, family, vip, interface: device } = watched;
  const header = headerOf(family);
  const note = `@th,16,8 != 0 add @${setName(index)} { ${fieldsOf(family)} }`;
  const withVip = vipAtAnyPlace(family, vip);
  const rules = [
    ...withVip.map(
      (isThere) => `${header} @th,0,4 ${VRRP_VERSION} @th,8,8 ${virtualRouterId} ${isThere} accept`,
    ),
    `${header} @th,8,8 ${virtualRouterId} ${note}`,
    ...withVip.map((isThere) => `${header} @th,8,8 != ${virtualRouterId} ${isThere} ${note}`),
  ];
  return rules.map((rule) => ({ interface: device, rule }));
}

/** What is true of an advert that has this VIP: one condition for each place at which it may be. */
function vipAtAnyPlace(family: WatchedRouterId['family'], vip: string): readonly string[] {
  const bits = family === 'ipv4' ? 32 : 128;
  return Array.from({ length: VIPS_LOOKED_AT[family] }, (_, place) => {
    return `@th,${64 + place * bits},${bits} ${addressNumber(vip)}`;
  });
}

/** nft prints a field of up to 64 bits as a number, a longer one as `0x…`. */
const field = z.union([z.number(), z.string()]);
const advertSchema = z.tuple([z.string(), z.number(), field]);

/** The content of these ids' sets, as `nft -j list table` prints them. */
export function parseForeign(json: string, watched: readonly WatchedRouterId[]): readonly ForeignAdvert[] {
  return watched.flatMap((ours, index) =>
    elementsOf(json, setName(index)).flatMap((element) => {
      const parsed = advertSchema.safeParse(element);
      if (!parsed.success) return [];
      const [source, head, address] = parsed.data;
      const virtualRouterId = (head >> 8) & 0xff;
      // Noted with another id, it has our VIP, at whichever place.
      const isOurVip = virtualRouterId !== ours.virtualRouterId;
      return {
        virtualRouterId,
        family: ours.family,
        source,
        version: head >> 20,
        priority: head & 0xff,
        vip: isOurVip ? ours.vip : addressOfNumber(BigInt(address), ours.family),
      };
    }),
  );
}
