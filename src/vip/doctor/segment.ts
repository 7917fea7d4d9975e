import * as z from 'zod/mini';
import { type FactReader, type Reading, read, readOnce, unknown } from '../../engine/examine/check.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { lastWords } from '../../engine/examine/run-program.ts';
import { type HoldersOf, holdersAmong } from '../../engine/system/network/address-holders.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { joinVrrpGroup } from '../../engine/system/network/multicast-membership.ts';
import { askNeighbours, readNeighbours } from '../../engine/system/network/neighbours.ts';
import { addressesOf } from '../../engine/system/network/routes.ts';
import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import { sleep } from '../../engine/system/time/sleep.ts';
import { type ForeignAdvert, LISTEN_MS, type WatchedRouterId } from '../segment/foreign-router.ts';
import { captureRuleset, type ProbedVip, parseCapture } from '../segment/segment-capture.ts';
import type { VipContext } from './context.ts';
import { held, links } from './facts.ts';
import { type RouterIdReading, routerIdsOf } from './router-ids.ts';

export interface Adverts {
  /** Senders of protocol 112 whose packets reached this node, and those that no rule of this node dropped. */
  readonly received: readonly string[];
  readonly accepted: readonly string[];
  /** How many packets this node sent, and how many of them left it. */
  readonly sent: number;
  readonly transmitted: number;
}

/** The observations on the segment in `LISTEN_MS`. */
export interface Segment {
  /** Addresses of this node. */
  readonly own: readonly string[];
  readonly adverts: Adverts;
  readonly ids: readonly RouterIdReading[];
  readonly watched: readonly WatchedRouterId[];
  readonly foreign: readonly ForeignAdvert[];
  /** The probed VIPs, and the other hosts that answered. */
  readonly asked: ReadonlySet<string>;
  readonly holders: HoldersOf<Peer>;
  /** The other nodes; undefined if the nodes are not known. */
  readonly peers: readonly Peer[] | undefined;
}

const COUNTED = 'inet hawser_doctor';
const CAPTURED = 'netdev hawser_doctor';

/**
 * Listens once for all checks: which hosts send adverts, before and after the firewall, who uses our router ids, and who answers for the
 * VIPs. Its nftables tables drop nothing, and are removed before it resolves.
 */
export const segment: FactReader<VipContext, Segment> = async (context) => {
  const { readings } = context;
  const [ids, peers, probed] = await Promise.all([
    routerIdsOf(context),
    readings.peers(),
    probedVips(context),
  ]);
  const watched = ids.flatMap((each) => (each.kind === 'known' ? each.watched : []));
  const [device] = probed.map((each) => each.interface);
  const known = peers.kind === 'known' ? peers.peers : undefined;
  const others =
    device === undefined ? [] : (known ?? []).map(({ address }) => ({ address, interface: device }));
  using members = new DisposableStack();
  for (const each of watched) members.use(joinVrrpGroup(each));
  const probe = async () =>
    await askNeighbours(
      probed.map(({ vip, interface: link }) => ({ address: vip, interface: link })),
      others,
    );
  const ruleset = `${countingRules}${captureRuleset(CAPTURED, { vips: probed, routerIds: watched })}`;
  const listened = await context.beforeExit(listen(context, ruleset, probe));
  if (listened.kind !== 'read') return listened;
  const { counted, captured } = listened.value;
  const own = addressesOf(readings.interfaces());
  const adverts = parseCounts(counted, own);
  if (adverts === undefined) return failed('cannot parse the output of nft');
  const { answers, foreign } = parseCapture(captured, { routerIds: watched });
  return read({
    own,
    adverts,
    ids,
    watched,
    foreign,
    asked: new Set(probed.map(({ vip }) => vip)),
    holders: holdersAmong(answers, await readNeighbours(), known),
    peers: known,
  });
};

/** The VIPs with an interface: the one that has the VIP, or else the one on which it belongs. */
async function probedVips(context: VipContext): Promise<readonly ProbedVip[]> {
  const [here, on] = await Promise.all([readOnce(context, held), readOnce(context, links)]);
  const all = await context.readings.vips();
  return all.flatMap((vip) => {
    const current = here.kind === 'read' ? here.value.get(vip)?.[0] : undefined;
    const chosen = on.kind === 'read' ? on.value.find(({ vips }) => vips.includes(vip))?.device : undefined;
    const device = current ?? chosen;
    return device === undefined ? [] : { vip, family: familyOf(vip), interface: device };
  });
}

function failed(message: string): Reading<never> {
  return unknown(message, 'run this as root, with nft and iproute2 installed');
}

/** The content of both tables after `LISTEN_MS`. */
async function listen(
  { run, signal }: VipContext,
  ruleset: string,
  probe: () => Promise<string | undefined>,
): Promise<Reading<{ readonly counted: string; readonly captured: string }>> {
  if (signal.aborted) return failed('it was stopped');
  // nft takes milliseconds, and is not killed: otherwise it would be unknown whether the tables exist.
  const unstoppable = new AbortController().signal;
  const loaded = await run(['nft', ruleset], unstoppable);
  if (loaded.kind === 'missing') return failed(loaded.message);
  try {
    if (loaded.kind === 'late') return failed(loaded.message);
    if (loaded.exitCode !== 0) return failed(`nft: ${lastWords(loaded)}`);
    const trouble = await probe();
    if (trouble !== undefined) return failed(trouble);
    await sleep(LISTEN_MS, signal);
    const shown = [COUNTED, CAPTURED].map((table) =>
      run(['nft', '-j', 'list', 'table', ...table.split(' ')], signal),
    );
    const texts = (await Promise.all(shown)).map((each) =>
      each.kind === 'ran' && each.exitCode === 0 ? each.stdout : undefined,
    );
    const [counted, captured] = texts;
    if (counted === undefined || captured === undefined)
      return failed('the tables "hawser_doctor" of nft cannot be read');
    return read({ counted, captured });
  } finally {
    await run(['nft', forgetTable(COUNTED) + forgetTable(CAPTURED)], unstoppable);
  }
}

const senders = (name: string): string => `set ${name}4 { type ipv4_addr; size 256; flags dynamic; }
set ${name}6 { type ipv6_addr; size 256; flags dynamic; }`;

const remember = (name: string): string =>
  `ip protocol 112 add @${name}4 { ip saddr }\nip6 nexthdr 112 add @${name}6 { ip6 saddr }`;

/** The priority -450 is before defragmentation and raw, and 1000 is after every filter. */
const countingRules = `${forgetTable(COUNTED)}table ${COUNTED} {
${senders('received')}
${senders('accepted')}
counter sent { }
counter transmitted { }
chain before { type filter hook prerouting priority -450; ${remember('received')}
}
chain behind { type filter hook input priority 1000; ${remember('accepted')}
}
chain out_before { type filter hook output priority -450; meta l4proto 112 counter name sent
}
chain out_behind { type filter hook postrouting priority 1000; meta l4proto 112 counter name transmitted
}
}
`;

const listing = z.object({
  nftables: z.array(
    z.looseObject({
      set: z.optional(z.looseObject({ name: z.string(), elem: z.optional(z.array(z.unknown())) })),
      counter: z.optional(z.looseObject({ name: z.string(), packets: z.number() })),
    }),
  ),
});

/** Parses the counting table, without this node's own packets, which multicast loops back. Undefined for invalid output. */
export function parseCounts(json: string, own: readonly string[]): Adverts | undefined {
  const parsed = listing.safeParse(parseJson(json));
  if (!parsed.success) return undefined;
  const entries = parsed.data.nftables;
  const of = (name: string): readonly string[] =>
    entries
      .flatMap(({ set }) => (set?.name === `${name}4` || set?.name === `${name}6` ? (set.elem ?? []) : []))
      .flatMap((element) => (typeof element === 'string' && !own.includes(element) ? [element] : []));
  const count = (name: string): number =>
    entries.reduce((sum, { counter }) => sum + (counter?.name === name ? counter.packets : 0), 0);
  return {
    received: of('received'),
    accepted: of('accepted'),
    sent: count('sent'),
    transmitted: count('transmitted'),
  };
}
