import type { Before, Participation, WaitReason } from '../../keepalived/participation-note.ts';
import { NODE_LIST_PATIENCE_MS } from '../../keepalived/stand-in.ts';

/** Everything that decides whether this node may compete for the VIPs of one kind. Times are monotonic milliseconds. */
export interface ParticipationFacts {
  /** When this run of the monitor began. */
  readonly startedAt: number;
  readonly before: Before;
  readonly list: ListFact;
  /** keepalived runs with the peers of that list. */
  readonly applied: boolean;
  /** The worst of this kind's VIPs. */
  readonly segment: SegmentFact;
  readonly routerId: RouterIdFact;
  /** The address that its adverts come from. */
  readonly sourceAddress: 'present' | 'missing';
  /** Every node of the group is back, and no API server runs on any of them: no node has a list that this one lacks. */
  readonly peers: 'all-back-without-api' | 'unknown';
}

export type ListFact =
  /** No API server has given a list in this run, or the loss guard holds it back. */
  | { readonly kind: 'none' }
  /** Three polls do not agree yet. */
  | { readonly kind: 'settling' }
  | {
      readonly kind: 'believed';
      /** Since when it names these. */
      readonly since: number;
      readonly names: 'us' | 'others' | 'nobody';
      readonly sameAsLastRun: boolean;
    };

export type SegmentFact =
  /** Fewer than three rounds, or the silence may be the gap of a failover. */
  | { readonly kind: 'unknown'; readonly until: number }
  /** Three rounds failed in a row: no nft. Or there is no VIP to ask for yet. */
  | { readonly kind: 'unobservable' }
  /** Nobody answers for the VIP. */
  | { readonly kind: 'free' }
  /** Since then the holder's adverts have arrived without a gap. */
  | { readonly kind: 'heard'; readonly since: number }
  /** Other hosts answer, and their adverts do not arrive. */
  | { readonly kind: 'unheard'; readonly macs: readonly string[] };

export type RouterIdFact =
  | { readonly kind: 'listening'; readonly until: number }
  | { readonly kind: 'free' | 'unchecked' }
  | { readonly kind: 'conflict' };

/** All peers have booted and none runs an API server: there is nobody left to wait for. */
const ALL_BACK_MS = 1_500;
const SETTLING_MS = 30_000;
/** A configuration that keepalived refuses must not cost the VIP. */
const RELOAD_MS = 10_000;
/**
 * The peers need this long to see the new list, settle it and reload with this node. A node that competes before they have
 * hears no adverts and becomes a second holder.
 */
export const PEERS_RELOAD_MS = 3_000;
/** The same where the list is that of the last run, and the segment shows that no peer has dropped this node. */
const PEERS_KNOW_MS = 1_000;
/**
 * A re-added node must receive the holder's adverts for this long without a gap. The holder drops a removed node late, and a
 * starved one later still.
 */
const READMISSION_MS = 10_000;
/** For a segment that shows nothing, or a holder whose adverts do not arrive. */
const SEGMENT_MS = 30_000;

/**
 * May this node compete for the VIP? An admitted node is only put out by a list without it, or by the loss of its source
 * address: a lost API, a silent segment or a restart change nothing.
 */
export function participation(facts: ParticipationFacts, now: number): Participation {
  const { list, before, segment } = facts;
  if (list.kind === 'believed' && list.names === 'others') return { state: 'out', reason: 'removed' };
  if (facts.sourceAddress === 'missing') return { state: 'out', reason: 'source-address-missing' };
  if (before === 'admitted') return { state: 'in' };
  if (facts.routerId.kind === 'conflict') return { state: 'out', reason: 'router-id-conflict' };
  const waits = [...routerIdWait(facts), ...listWait(facts), ...segmentWait(facts)];
  const [longest] = waits.filter(({ until }) => until > now).toSorted((a, b) => b.until - a.until);
  if (longest !== undefined) return { state: 'waiting', ...longest };
  if (segment.kind === 'unheard' && list.kind !== 'believed')
    return { state: 'out', reason: 'vip-held-by-unheard-host' };
  return { state: 'in' };
}

interface Wait {
  readonly reason: WaitReason;
  readonly until: number;
}

const FOREVER = Number.POSITIVE_INFINITY;

function wait(reason: WaitReason, until: number): readonly Wait[] {
  return [{ reason, until }];
}

function routerIdWait({ routerId }: ParticipationFacts): readonly Wait[] {
  return routerId.kind === 'listening' ? wait('router-id', routerId.until) : [];
}

function listWait({ list, before, applied, segment, startedAt, peers }: ParticipationFacts): readonly Wait[] {
  const isKnownByHolder = segment.kind === 'free' || segment.kind === 'heard';
  if (before === 'removed' && list.kind !== 'believed') return wait('node-list', FOREVER);
  if (before === 'removed' && !applied) return wait('reload', FOREVER);
  switch (list.kind) {
    case 'none': {
      const isAllBack = peers === 'all-back-without-api' && isKnownByHolder;
      return wait('node-list', startedAt + (isAllBack ? ALL_BACK_MS : NODE_LIST_PATIENCE_MS));
    }
    case 'settling':
      return wait('node-list-settling', startedAt + SETTLING_MS);
    case 'believed': {
      if (!applied) return wait('reload', list.since + RELOAD_MS);
      const isReturn = list.sameAsLastRun && isKnownByHolder && before !== 'removed';
      return wait('peers-reload', list.since + (isReturn ? PEERS_KNOW_MS : PEERS_RELOAD_MS));
    }
  }
}

function segmentWait({ segment, before, list }: ParticipationFacts): readonly Wait[] {
  if (segment.kind === 'unknown') return wait('segment', segment.until);
  // Without a list it waits for that already, or is kept out.
  if (list.kind !== 'believed') return [];
  if (before !== 'removed')
    return segment.kind === 'unheard' ? wait('holder-silent', list.since + SEGMENT_MS) : [];
  switch (segment.kind) {
    case 'free':
      return [];
    case 'heard':
      return wait('re-admission', Math.max(segment.since, list.since) + READMISSION_MS);
    case 'unobservable':
      return wait('segment', list.since + SEGMENT_MS);
    case 'unheard':
      return wait('holder-silent', FOREVER);
  }
}

/** What the next decision, and the next monitor, knows of this one. */
export function nextBefore(before: Before, decided: Participation): Before {
  if (decided.state === 'in') return 'admitted';
  return decided.state === 'out' && decided.reason === 'removed' ? 'removed' : before;
}

/**
 * Until when a supervisor that has to stand in for this monitor keeps the node in FAULT. A supervisor sees neither lists nor
 * adverts, so it admits no node that was removed, and none while an unheard host holds the VIP.
 */
export function notedUntil(decided: Participation, { before, segment }: ParticipationFacts): number | null {
  if (decided.state !== 'waiting' || !Number.isFinite(decided.until)) return null;
  return before === 'removed' || segment.kind === 'unheard' ? null : decided.until;
}

const TEXTS: Readonly<Record<Exclude<Participation, { state: 'in' }>['reason'], string>> = {
  'router-id': 'it listens for other routers with its virtual router id',
  'node-list': 'no API server has given a node list',
  'node-list-settling': 'the node list has not settled',
  reload: 'keepalived has not reloaded with the node list',
  'peers-reload': 'the peers need time to reload with this node',
  're-admission': "it was re-added to the node list and has to receive the holder's adverts first",
  segment: 'it asks the segment who holds the VIP',
  'holder-silent': 'another host answers for the VIP, but its VRRP adverts do not reach this node',
  removed: 'the node list does not contain this node',
  'router-id-conflict': 'another router on the segment uses its virtual router id or its VIP',
  'source-address-missing': 'the source address of its adverts is missing, or its interface is down',
  'vip-held-by-unheard-host':
    'another host answers for the VIP, but its VRRP adverts do not reach this node, which was probably removed',
};

/** `waiting until 12:03:04: the node list has not settled`. `nowMs` is monotonic, `wallMs` the same moment's Unix time. */
export function participationText(decided: Participation, nowMs: number, wallMs: number): string {
  switch (decided.state) {
    case 'in':
      return 'in';
    case 'out':
      return `out: ${TEXTS[decided.reason]}`;
    case 'waiting': {
      const leftMs = decided.until - nowMs;
      const until = Number.isFinite(leftMs) ? ` until ${clockTime(wallMs + leftMs)}` : '';
      return `waiting${until}: ${TEXTS[decided.reason]}`;
    }
  }
}

function clockTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
