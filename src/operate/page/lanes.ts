import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { compareText } from '../../engine/system/text/compare-text.ts';
import type { ClusterStatus } from '../status/node-status.ts';
import type { ProductStatus } from '../status/product-status.ts';
import type { Range } from '../timeline/collect.ts';

/** A VIP on one node over the span. */
export interface VipLane {
  /** The VIP, or the instance's name if its VIP is unknown. */
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

const HOUR_MS = 3_600_000;
const STEP_MS = 10_000;

/** The hour that ends with the next step of ten seconds, so that the drawing does not change more often. */
export function lastHour(nowMs: number): Range {
  const to = (Math.floor(nowMs / STEP_MS) + 1) * STEP_MS;
  return { since: new Date(to - HOUR_MS).toISOString(), until: new Date(to).toISOString() };
}

/** The position of a time in percent from the left. A time outside the span is placed on its edge. */
export function placeOf(at: string, { since, until }: Range): number {
  const share = (Date.parse(at) - Date.parse(since)) / (Date.parse(until) - Date.parse(since));
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100;
}

/** `03:12:04`, UTC. */
export function clockText(at: string): string {
  return at.slice(11, 19);
}

/** A state and its start (ISO 8601). It lasts until the next one starts. */
interface Stretch {
  readonly kind: BandKind;
  readonly since: string;
}

/** One lane for each VIP on each node that occurs in the journals' lines of the span or in the status. */
export function vipLanes(
  status: ClusterStatus,
  lines: readonly JournalLine[],
  span: Range,
  products: readonly ProductStatus[],
): readonly VipLane[] {
  const present = presentStates(status, products);
  const vips = new Map(present.map(({ instance, vip }) => [instance, vip]));
  const moves = lines.flatMap(({ event, subject = '', ...line }) =>
    event === 'vrrp-transition' ? [{ ...line, vip: vips.get(subject) ?? subject }] : [],
  );
  const lanes = new Map([...present, ...moves].map(({ vip, node }) => [`${vip} ${node}`, { vip, node }]));
  const inOrder = [...lanes].toSorted(([a], [b]) => compareText(a, b));
  return inOrder.map(([, { vip, node }]) => {
    const isHere = (each: { readonly vip: string; readonly node: string }) =>
      each.vip === vip && each.node === node;
    const own = moves.filter(isHere);
    const before = own.slice(0, 1).map(({ from }) => ({ kind: kindOf(from), since: span.since }));
    const past = [...before, ...own.map(({ to, at }) => ({ kind: kindOf(to), since: at }))];
    const wasHolder = past.at(-1)?.kind === 'holder';
    const isHolder = status.vips.find((each) => each.vip === vip)?.holders.includes(node) ?? false;
    const now = present.find(isHere) ?? (wasHolder === isHolder ? undefined : unknownSince(node, lines));
    const stretches = now === undefined ? past : [...past, ...currentStretch(now, past)];
    return { vip, node, bands: bandsOf(stretches, span) };
  });
}

const KINDS: Readonly<Record<string, BandKind>> = {
  MASTER: 'holder',
  BACKUP: 'backup',
  FAULT: 'fault',
  STOP: 'stopped',
};

function kindOf(state: string | null | undefined): BandKind {
  return KINDS[state ?? ''] ?? 'unknown';
}

/** The current states on this node. */
function presentStates({ here }: ClusterStatus, products: readonly ProductStatus[]) {
  return products
    .flatMap(({ inputs }) => inputs.vips?.instances(here) ?? [])
    .map(({ name, state, sinceMs, vip = name }) => ({
      node: here.node,
      instance: name,
      vip,
      kind: kindOf(state),
      since: new Date(Date.parse(here.at) - sinceMs).toISOString(),
    }));
}

/** The state of another node after its last journal line, if that contradicts what this node observes. */
function unknownSince(name: string, lines: readonly JournalLine[]): Stretch {
  return { kind: 'unknown', since: lines.findLast(({ node }) => node === name)?.at ?? '' };
}

/** The current state, if the journal does not have it already. It cannot have started before the last move. */
function currentStretch({ kind, since }: Stretch, past: readonly Stretch[]): readonly Stretch[] {
  const last = past.at(-1);
  if (last?.kind === kind) return [];
  return [{ kind, since: last !== undefined && last.since > since ? last.since : since }];
}

function bandsOf(stretches: readonly Stretch[], span: Range): readonly Band[] {
  const all: readonly Stretch[] = [{ kind: 'unknown', since: span.since }, ...stretches];
  return all
    .map(({ kind, since }, index) => {
      const until = all[index + 1]?.since ?? span.until;
      const words = `${kind} ${timesText(since, until, span)}`;
      return { kind, from: placeOf(since, span), to: placeOf(until, span), words };
    })
    .filter(({ from, to }) => to > from);
}

function timesText(since: string, until: string, span: Range): string {
  if (since <= span.since) return until >= span.until ? 'all the time shown' : `until ${clockText(until)}`;
  return until >= span.until ? `since ${clockText(since)}` : `${clockText(since)} to ${clockText(until)}`;
}
