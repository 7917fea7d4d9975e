import * as z from 'zod/mini';
import type { RunProgram } from '../../../engine/examine/run-program.ts';
import { forgetTable } from '../../../engine/system/nft/forget-table.ts';
import { parseJson } from '../../../engine/system/text/parse-json.ts';
import { listenWith } from './listen.ts';

export type HeardAdverts =
  | {
      readonly kind: 'seen';
      /** Senders of protocol 112 that reached this node, and those that no rule of this node dropped. */
      readonly came: readonly string[];
      readonly passed: readonly string[];
      /** Packets of this node's own, and those of them that left. */
      readonly sent: number;
      readonly left: number;
    }
  | { readonly kind: 'failed'; readonly message: string };

const TABLE = 'inet hawser_doctor';

function sendersOf(name: string): string {
  return `set ${name}4 { type ipv4_addr; size 256; flags dynamic; }
set ${name}6 { type ipv6_addr; size 256; flags dynamic; }`;
}

function remember(name: string): string {
  return `ip protocol 112 add @${name}4 { ip saddr }\nip6 nexthdr 112 add @${name}6 { ip6 saddr }`;
}

/** The kernel's priorities: -450 is before defragmentation and raw, 1000 behind every filter. */
const countingRules = `${forgetTable(TABLE)}table ${TABLE} {
${sendersOf('came')}
${sendersOf('passed')}
counter sent { }
counter left { }
chain before { type filter hook prerouting priority -450; ${remember('came')}
}
chain behind { type filter hook input priority 1000; ${remember('passed')}
}
chain out_before { type filter hook output priority -450; meta l4proto 112 counter name sent
}
chain out_behind { type filter hook postrouting priority 1000; meta l4proto 112 counter name left
}
}`;

const listing = z.object({
  nftables: z.array(
    z.looseObject({
      set: z.optional(z.looseObject({ name: z.string(), elem: z.optional(z.array(z.unknown())) })),
      counter: z.optional(z.looseObject({ name: z.string(), packets: z.number() })),
    }),
  ),
});

/**
 * Counts the VRRP packets that each host sends to this node, with nftables: before every other rule and after them, so
 * that packets dropped by the node's own firewall show. The table only counts, and is removed at the end.
 */
export async function countAdverts(
  run: RunProgram,
  own: readonly string[],
  signal: AbortSignal,
): Promise<HeardAdverts> {
  const listened = await listenWith(run, { table: TABLE, ruleset: countingRules }, signal);
  return listened.kind === 'failed' ? listened : parseAdverts(listened.json, own);
}

export function parseAdverts(json: string, own: readonly string[]): HeardAdverts {
  const parsed = listing.safeParse(parseJson(json));
  if (!parsed.success) return { kind: 'failed', message: 'the output of nft is no listing' };
  const entries = parsed.data.nftables;
  const of = (name: string): readonly string[] =>
    entries
      .flatMap(({ set }) => (set?.name === `${name}4` || set?.name === `${name}6` ? (set.elem ?? []) : []))
      .flatMap((element) => (typeof element === 'string' && !own.includes(element) ? [element] : []));
  const count = (name: string): number =>
    entries.reduce((sum, { counter }) => sum + (counter?.name === name ? counter.packets : 0), 0);
  return { kind: 'seen', came: of('came'), passed: of('passed'), sent: count('sent'), left: count('left') };
}
