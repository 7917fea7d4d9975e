import { isIP } from 'node:net';
import * as z from 'zod/mini';
import type { Answer } from '../../engine/system/network/neighbours.ts';
import { addressNumber, addressOfNumber } from '../../engine/system/network/node-address.ts';
import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { elementsOf, type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import type { VrrpInstance } from '../group/vrrp.ts';
import { type ForeignAdvert, VRRP_VERSION, type WatchedRouterId } from './foreign-router.ts';

export interface ProbedVip extends Pick<VrrpInstance, 'vip' | 'family' | 'interface'> {
  /** The id and the senders of the adverts to capture. Without them none are captured. */
  readonly virtualRouterId?: number | undefined;
  readonly senders?: readonly string[] | undefined;
}

export interface SegmentTargets {
  readonly vips: readonly ProbedVip[];
  readonly routerIds: readonly WatchedRouterId[];
}

export interface SegmentReading {
  /** Each host that answers for a VIP or announces it. */
  readonly answers: readonly Answer[];
  /** The VIPs whose adverts were received: their holder sends adverts to this node. */
  readonly advertised: ReadonlySet<string>;
  readonly foreign: readonly ForeignAdvert[];
}

/**
 * An nftables table in which the kernel records received packets. It never drops a packet, and its priority puts it before any
 * rule that might. Each call resolves with an error message if it fails.
 */
export interface SegmentCapture {
  /** Replaces the targets and discards everything recorded so far. */
  readonly set: (targets: SegmentTargets) => Promise<string | undefined>;
  /** Reads everything recorded since the last `set` or `flush`. */
  readonly read: () => Promise<SegmentReading | string>;
  /** Discards recorded answers or adverts. Foreign adverts accumulate until the next `set`. */
  readonly flush: (which: 'answers' | 'adverts') => Promise<string | undefined>;
  /** Removes the table, even one of an earlier process. A missing table is not an error. */
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
    set: (next) => {
      targets = next;
      return load(captureRuleset(table, next));
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

/** The ruleset that replaces `table` in one transaction. */
export function captureRuleset(table: string, { vips, routerIds }: SegmentTargets): string {
  const sets = Object.entries({ ...ANSWERS, ...ADVERTS, ...foreignSets(routerIds) }).map(
    ([name, definition]) => `set ${name} { ${definition} }`,
  );
  // The rules for foreign adverts come last: for our own adverts they accept, which ends the chain.
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

/** One set per address family, of pairs of an IP address and a MAC. */
function pairSets(prefix: string): Readonly<Record<string, string>> {
  const definition = (family: string) => `type ${family}_addr . ether_addr; flags dynamic; size 256;`;
  return Object.fromEntries(['ipv4', 'ipv6'].map((family) => [`${prefix}${family}`, definition(family)]));
}

const ANSWERS = pairSets('answers_');
const ADVERTS = pairSets('adverts_');

/**
 * Matches the sender of an ARP reply or announcement (RFC 826), and the target of a neighbour advertisement (RFC 4861). The
 * kernel's neighbour table would not do: it ignores neighbour advertisements for the host's own IPv6 addresses.
 */
function answerRuleOf({ vip, family, interface: device }: ProbedVip): IngressRule {
  const rule =
    family === 'ipv4'
      ? `arp saddr ip ${vip} add @answers_ipv4 { arp saddr ip . arp saddr ether }`
      : `icmpv6 type nd-neighbor-advert @th,64,128 ${addressNumber(vip)} add @answers_ipv6 { ${vip} . ether saddr }`;
  return { interface: device, rule };
}

/**
 * Matches the adverts that keepalived accepts on this node: of its own router, from one of its peers. Not those to the multicast group, the
 * placeholder peer of a single node: that holder ignores this node's adverts. Ignores priority 0, with which a holder resigns.
 */
function advertRulesOf({
  vip,
  family,
  interface: device,
  virtualRouterId,
  senders = [],
}: ProbedVip): readonly IngressRule[] {
  const valid = senders.filter((sender) => isIP(sender) === (family === 'ipv4' ? 4 : 6));
  if (virtualRouterId === undefined || valid.length === 0) return [];
  const [ip, group] = family === 'ipv4' ? ['ip', '224.0.0.0/4'] : ['ip6', 'ff00::/8'];
  const unicast = `${ip} saddr { ${valid.join(', ')} } ${ip} daddr != ${group}`;
  const header = `${headerOf(family)} ${unicast} @th,0,4 ${VRRP_VERSION} @th,8,8 ${virtualRouterId}`;
  return vipAtAnyPosition(family, vip).map((hasVip) => ({
    interface: device,
    rule: `${header} @th,16,8 != 0 ${hasVip} add @adverts_${family} { ${vip} . ether saddr }`,
  }));
}

/** Parses the sets from the output of `nft -j list table`. */
export function parseCapture(json: string, { routerIds }: Pick<SegmentTargets, 'routerIds'>): SegmentReading {
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

/** How many addresses of an advert are compared with the VIP. An advert with the VIP in a later position counts as foreign. */
const COMPARED_VIPS = { ipv4: 8, ipv6: 4 };

/** One nft rule for the packets received on one interface. */
interface IngressRule {
  readonly interface: string;
  readonly rule: string;
}

/**
 * One set per watched id, for the hosts that advertise the id without its VIP or in another VRRP version, or the VIP with another
 * id, whether by multicast or unicast. The kernel stores the packets' fields in a set, so no raw socket is needed.
 */
function foreignSets(watched: readonly WatchedRouterId[]): Readonly<Record<string, string>> {
  const definition = (family: WatchedRouterId['family']) =>
    `typeof ${fieldsOf(family)}; flags dynamic; size 256;`;
  return Object.fromEntries(watched.map(({ family }, index) => [setName(index), definition(family)]));
}

/**
 * The fields that VRRP 2 and 3 have at the same offset in both address families: version, type, id and priority in the first
 * three bytes, addresses from offset 8. The three bytes are one field, because nft 1.0.6 fails an assertion when it lists a set
 * with two adjacent fields.
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

/** Ignores priority 0, with which a holder resigns. */
function foreignRulesOf(watched: WatchedRouterId, index: number): readonly IngressRule[] {
  const { virtualRouterId, family, vip, interface: device } = watched;
  const header = headerOf(family);
  const note = `@th,16,8 != 0 add @${setName(index)} { ${fieldsOf(family)} }`;
  const vipConditions = vipAtAnyPosition(family, vip);
  const rules = [
    ...vipConditions.map(
      (hasVip) => `${header} @th,0,4 ${VRRP_VERSION} @th,8,8 ${virtualRouterId} ${hasVip} accept`,
    ),
    `${header} @th,8,8 ${virtualRouterId} ${note}`,
    ...vipConditions.map((hasVip) => `${header} @th,8,8 != ${virtualRouterId} ${hasVip} ${note}`),
  ];
  return rules.map((rule) => ({ interface: device, rule }));
}

/** Conditions for an advert with this VIP, one for each position at which the VIP may be. */
function vipAtAnyPosition(family: WatchedRouterId['family'], vip: string): readonly string[] {
  const bits = family === 'ipv4' ? 32 : 128;
  return Array.from({ length: COMPARED_VIPS[family] }, (_, position) => {
    return `@th,${64 + position * bits},${bits} ${addressNumber(vip)}`;
  });
}

/** nft prints a field of up to 64 bits as a number, and a longer one as `0x…`. */
const field = z.union([z.number(), z.string()]);
const advertSchema = z.tuple([z.string(), z.number(), field]);

/** Parses the sets of the watched ids from the output of `nft -j list table`. */
export function parseForeign(json: string, watched: readonly WatchedRouterId[]): readonly ForeignAdvert[] {
  return watched.flatMap((ours, index) =>
    elementsOf(json, setName(index)).flatMap((element) => {
      const parsed = advertSchema.safeParse(element);
      if (!parsed.success) return [];
      const [source, head, address] = parsed.data;
      const virtualRouterId = (head >> 8) & 0xff;
      // An advert with another id is recorded only if it contains our VIP, possibly not as its first address.
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
