import * as z from 'zod/mini';
import { addressNumber, addressOfNumber } from '../../engine/system/network/node-address.ts';
import { elementsOf } from '../../engine/system/nft/nft.ts';
import { type ForeignAdvert, VRRP_VERSION, type WatchedRouterId } from './foreign-router.ts';

/** An advert of more VIPs than this, ours behind them, counts as foreign. */
const VIPS_LOOKED_AT = { ipv4: 8, ipv6: 4 };

/** One rule for what comes in on one interface, in nft's language. */
export interface IngressRule {
  readonly interface: string;
  readonly rule: string;
}

/**
 * The hosts that advertise one of these ids without its VIP or in another version of VRRP, or the VIP with another id, by
 * multicast or to this node alone, without a raw socket: the kernel keeps what each packet said in a set.
 */
export function foreignSets(watched: readonly WatchedRouterId[]): Readonly<Record<string, string>> {
  const definition = (family: WatchedRouterId['family']) =>
    `typeof ${fieldsOf(family)}; flags dynamic; size 256;`;
  return Object.fromEntries(watched.map(({ family }, index) => [setName(index), definition(family)]));
}

export function foreignRules(watched: readonly WatchedRouterId[]): readonly IngressRule[] {
  return watched.flatMap(rulesOf);
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

/** Priority 0 is a goodbye. */
function rulesOf(watched: WatchedRouterId, index: number): readonly IngressRule[] {
  const { virtualRouterId, family, vip, interface: device } = watched;
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
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
export function vipAtAnyPlace(family: WatchedRouterId['family'], vip: string): readonly string[] {
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
        ...{ virtualRouterId, family: ours.family, source },
        version: head >> 20,
        priority: head & 0xff,
        vip: isOurVip ? ours.vip : addressOfNumber(BigInt(address), ours.family),
      };
    }),
  );
}
