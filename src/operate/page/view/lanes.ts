import type { ClusterStatus } from '../../status/node-status.ts';
import type { ProductStatus } from '../../status/product-status.ts';
import type { TimelineEntry } from '../../timeline/report.ts';
import { clockText, placeOf, type TimeSpan } from './time-span.ts';

/** A VIP on one node over the span. */
export interface VipLane {
  /** The VIP, or the instance's name where its VIP is unknown. */
  readonly vip: string;
  readonly node: string;
  /** In order and without gaps, from the left edge to the right one. */
  readonly bands: readonly Band[];
}

export type BandKind = 'holder' | 'backup' | 'fault' | 'stopped' | 'unknown';

export interface Band {
  readonly kind: BandKind;
  /** Percent of the span. */
  readonly from: number;
  readonly to: number;
  /** `holder since 03:12:04`, `holder 03:02:11 to 03:12:04`. */
  readonly words: string;
}

/** A state, and since when: ISO 8601. It lasts until the next one begins. */
interface Stretch {
  readonly kind: BandKind;
  readonly since: string;
}

/** One lane for each VIP on each node that occurs in the journals or the status. */
export function vipLanes(
  status: ClusterStatus,
  entries: readonly TimelineEntry[],
  span: TimeSpan,
  products: readonly ProductStatus[],
): readonly VipLane[] {
  const present = presentStates(status, products);
  const vips = new Map(present.map(({ instance, vip }) => [instance, vip]));
  const moves = entries
    .filter(({ event }) => event === 'vrrp-transition')
    .map((entry) => ({ ...entry, vip: vips.get(entry.subject ?? '') ?? entry.subject ?? '' }));
  return lanesOf([...present, ...moves]).map(({ vip, node }) => {
    const isHere = (each: Lane): boolean => each.vip === vip && each.node === node;
    const past = stretchesOf(moves.filter(isHere), span);
    const own = present.find(isHere);
    const now = own === undefined ? silence(status, { vip, node }, past, entries) : newsOf(own, past);
    return { vip, node, bands: bandsOf([...past, ...now], span) };
  });
}

type Lane = Pick<VipLane, 'vip' | 'node'>;

/** Each once, in order. */
function lanesOf(all: readonly Lane[]): readonly Lane[] {
  const lanes = new Map(all.map(({ vip, node }) => [JSON.stringify([vip, node]), { vip, node }]));
  return [...lanes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, lane]) => lane);
}

const KINDS: Readonly<Record<string, BandKind>> = {
  MASTER: 'holder',
  BACKUP: 'backup',
  FAULT: 'fault',
  STOP: 'stopped',
};

function kindOf(state: string | null): BandKind {
  return KINDS[state ?? ''] ?? 'unknown';
}

interface Present extends Stretch {
  readonly node: string;
  readonly instance: string;
  readonly vip: string;
}

/** What the nodes that speak say of themselves now. */
function presentStates(
  { here, peers }: ClusterStatus,
  products: readonly ProductStatus[],
): readonly Present[] {
  const nodes = [here, ...peers.flatMap(({ published }) => published ?? [])];
  return nodes.flatMap((node) =>
    products
      .flatMap(({ vips }) => vips?.instances(node) ?? [])
      .map(({ name, state, sinceMs, vip = name }) => ({
        ...{ node: node.node, instance: name, vip, kind: kindOf(state) },
        since: new Date(Date.parse(node.at) - sinceMs).toISOString(),
      })),
  );
}

function stretchesOf(moves: readonly TimelineEntry[], span: TimeSpan): readonly Stretch[] {
  const [first] = moves;
  const before = first === undefined ? [] : [{ kind: kindOf(first.from), since: span.from }];
  return [...before, ...moves.map(({ at, to }) => ({ kind: kindOf(to), since: at }))];
}

/** What a node says of itself now, where that is not what its journal has said already. */
function newsOf({ kind, since }: Present, past: readonly Stretch[]): readonly Stretch[] {
  const last = past.at(-1);
  if (last?.kind === kind) return [];
  return [{ kind, since: last !== undefined && last.since > since ? last.since : since }];
}

/** A node that does not speak: its last word stands as long as it is not against what others see. */
function silence(
  { vips }: ClusterStatus,
  { vip, node }: Lane,
  past: readonly Stretch[],
  entries: readonly TimelineEntry[],
): readonly Stretch[] {
  const isHolder = vips.find((each) => each.vip === vip)?.holders.includes(node) ?? false;
  const wasHolder = past.at(-1)?.kind === 'holder';
  const lastWord = entries.findLast((entry) => entry.node === node)?.at;
  return isHolder === wasHolder || lastWord === undefined ? [] : [{ kind: 'unknown', since: lastWord }];
}

function bandsOf(stretches: readonly Stretch[], span: TimeSpan): readonly Band[] {
  const known: readonly Stretch[] = [{ kind: 'unknown', since: span.from }, ...stretches];
  return known
    .map(({ kind, since }, index) => {
      const until = known[index + 1]?.since ?? span.to;
      const words = `${kind} ${timesText(since, until, span)}`;
      return { kind, from: placeOf(since, span), to: placeOf(until, span), words };
    })
    .filter(({ from, to }) => to > from);
}

function timesText(since: string, until: string, { from, to }: TimeSpan): string {
  if (since <= from) return until >= to ? 'all the time shown' : `until ${clockText(until)}`;
  return until >= to ? `since ${clockText(since)}` : `${clockText(since)} to ${clockText(until)}`;
}
