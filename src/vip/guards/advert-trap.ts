import * as z from 'zod/mini';
import { addressNumber, addressOfNumber } from '../../engine/system/network/node-address.ts';
import type { NftOptions } from '../../engine/system/nft/nft.ts';
import { elementsOf } from '../../engine/system/nft/set-listing.ts';
import type { ForeignAdvert, HeardAdverts, WatchedRouterId } from './foreign-router.ts';
import { createTrap, type IngressRule, type Trap, type TrapForm } from './trap.ts';

/** An advert of more VIPs than this, ours behind them, counts as foreign. */
const VIPS_LOOKED_AT = { ipv4: 8, ipv6: 4 };

/**
 * Hears the hosts that advertise one of these ids without its VIP, or the VIP with another id, and at which interval those
 * of the group advertise, by multicast or to this node alone, without a raw socket: the kernel keeps what each packet said in a set.
 */
export function createAdvertTrap(options: NftOptions = {}): Trap<WatchedRouterId, HeardAdverts> {
  return createTrap('hawser_vrid_guard', advertForm, options);
}

export const advertForm: TrapForm<WatchedRouterId, HeardAdverts> = {
  sets: (watched) => Object.fromEntries(watched.flatMap(setsOf)),
  rules: (watched) => watched.flatMap(rulesOf),
  parse: parseAdverts,
};

/**
 * Fields that both address families have at the same place, in VRRP 2 and 3: version, type, id and priority in the
 * first three bytes, and addresses from the eighth byte on. The three bytes are one field: with two adjacent fields nft
 * 1.0.6 writes the set, but fails an assertion when it lists it.
 */
function fieldsOf(family: WatchedRouterId['family']): string {
  return family === 'ipv4' ? 'ip saddr . @th,0,24 . @th,64,32' : 'ip6 saddr . @th,0,24 . @th,64,128';
}

/** Of the group: the interval of VRRP 3, hundredths of a second, is in the lower twelve of these last 16 bits. */
function groupFieldsOf(family: WatchedRouterId['family']): string {
  return `${family === 'ipv4' ? 'ip' : 'ip6'} saddr . @th,0,24 . @th,32,16`;
}

function setsOf({ family }: WatchedRouterId, index: number): readonly (readonly [string, string])[] {
  return [
    [foreignSet(index), `typeof ${fieldsOf(family)}; flags dynamic; size 256;`],
    [groupSet(index), `typeof ${groupFieldsOf(family)}; flags dynamic; size 256;`],
  ];
}

function foreignSet(index: number): string {
  return `heard${index}`;
}

function groupSet(index: number): string {
  return `group${index}`;
}

/** Priority 0 is a goodbye. */
function rulesOf(watched: WatchedRouterId, index: number): readonly IngressRule[] {
  const { virtualRouterId, family, vip, interface: device } = watched;
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
  const note = `@th,16,8 != 0 add @${foreignSet(index)} { ${fieldsOf(family)} }`;
  const withVip = vipAtAnyPlace(family, vip);
  const rules = [
    ...withVip.flatMap((isThere) => {
      const isOurs = `${header} @th,8,8 ${virtualRouterId} ${isThere}`;
      // A full set ends the first rule of the two.
      return [`${isOurs} add @${groupSet(index)} { ${groupFieldsOf(family)} }`, `${isOurs} accept`];
    }),
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
const groupSchema = z.tuple([z.string(), z.number(), z.number()]);

/** The content of these ids' sets, as `nft -j list table` prints them. */
export function parseAdverts(json: string, watched: readonly WatchedRouterId[]): HeardAdverts {
  return {
    foreign: parseForeign(json, watched),
    group: watched.flatMap(({ vip }, index) =>
      elementsOf(json, groupSet(index)).flatMap((element) => {
        const parsed = groupSchema.safeParse(element);
        if (!parsed.success || parsed.data[1] >> 20 !== 3) return [];
        const [source, , last] = parsed.data;
        const intervalMs = (last & 0xfff) * 10;
        // keepalived could not be configured with it.
        return intervalMs === 0 ? [] : { vip, source, intervalMs };
      }),
    ),
  };
}

function parseForeign(json: string, watched: readonly WatchedRouterId[]): readonly ForeignAdvert[] {
  return watched.flatMap((ours, index) =>
    elementsOf(json, foreignSet(index)).flatMap((element) => {
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
