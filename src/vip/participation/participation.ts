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
  /** The source address of this node's adverts, which must be an address that the list gives this node. */
  readonly sourceAddress: 'present' | 'missing';
  /** `all-back-without-api`: every peer is up and runs no API server, so no node can have a newer list. */
  readonly peers: 'all-back-without-api' | 'unknown';
}

export type ListFact =
  /** No API server has returned a list in this run, or the loss guard holds it. */
  | { readonly kind: 'none' }
  /** Three consecutive polls have not agreed yet. */
  | { readonly kind: 'settling' }
  | {
      readonly kind: 'accepted';
      /** When `names` last changed. */
      readonly since: number;
      readonly names: 'us' | 'others';
      readonly sameAsLastRun: boolean;
    };

export type SegmentFact =
  /** Fewer than three rounds are complete, the silence may be a failover in progress, or there is no keepalived.conf yet. */
  | { readonly kind: 'unknown'; readonly until: number }
  /** Three consecutive rounds failed, for example without nft. Or keepalived.conf has no VIP of this kind. */
  | { readonly kind: 'unobservable' }
  /** No host answers for the VIP. */
  | { readonly kind: 'free' }
  /** The holder's adverts have arrived without a gap since `since`. */
  | { readonly kind: 'heard'; readonly since: number }
  /** Other hosts answer, and their adverts do not arrive. */
  | { readonly kind: 'unheard' };

export type RouterIdFact =
  | { readonly kind: 'listening'; readonly until: number }
  /** No conflict is known. The ids may be unchecked: the node is admitted, the check is overridden, or nothing can listen. */
  | { readonly kind: 'free' }
  | { readonly kind: 'conflict' };

/** All peers have booted and none runs an API server: no newer list can come from anywhere. */
const ALL_BACK_MS = 1_500;
const SETTLING_MS = 30_000;
/** Bounded, so that a configuration that keepalived rejects does not cost the VIP. */
const RELOAD_MS = 10_000;
/**
 * The peers need this long to receive the new list, settle it and reload with this node. A node that competes earlier receives
 * no adverts and becomes a second holder.
 */
export const PEERS_RELOAD_MS = 3_000;
/** Replaces `PEERS_RELOAD_MS` if the list equals that of the last run and the segment shows that no peer has dropped this node. */
const RETURN_MS = 1_000;
/**
 * A re-added node must receive the holder's adverts for this long without a gap. The holder drops a removed node with a delay,
 * and a starved holder even later.
 */
const READMISSION_MS = 10_000;
/** Used if the segment is unobservable, or if the holder's adverts do not arrive. */
const SEGMENT_MS = 30_000;

/**
 * Decides whether this node may compete for the VIP. An admitted node leaves only if an accepted list lacks it or its source
 * address is missing: an unreachable API, a silent segment or a restart changes nothing.
 */
export function participation(facts: ParticipationFacts, now: number): Participation {
  const { list, before, segment } = facts;
  if (list.kind === 'accepted' && list.names === 'others') return { state: 'out', reason: 'removed' };
  if (facts.sourceAddress === 'missing') return { state: 'out', reason: 'source-address-missing' };
  if (before === 'admitted') return { state: 'in' };
  if (facts.routerId.kind === 'conflict') return { state: 'out', reason: 'router-id-conflict' };
  const waits = [...routerIdWait(facts), ...listWait(facts), ...segmentWait(facts)];
  const [longest] = waits.filter(({ until }) => until > now).toSorted((a, b) => b.until - a.until);
  if (longest !== undefined) return { state: 'waiting', ...longest };
  if (segment.kind === 'unheard' && list.kind !== 'accepted')
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
  const isSegmentClear = segment.kind === 'free' || segment.kind === 'heard';
  if (before === 'removed' && list.kind !== 'accepted') return wait('node-list', FOREVER);
  if (before === 'removed' && !applied) return wait('reload', FOREVER);
  switch (list.kind) {
    case 'none': {
      const isAllBack = peers === 'all-back-without-api' && isSegmentClear;
      return wait('node-list', startedAt + (isAllBack ? ALL_BACK_MS : NODE_LIST_PATIENCE_MS));
    }
    case 'settling':
      return wait('node-list-settling', startedAt + SETTLING_MS);
    case 'accepted': {
      if (!applied) return wait('reload', list.since + RELOAD_MS);
      const isReturn = list.sameAsLastRun && isSegmentClear && before !== 'removed';
      return wait('peers-reload', list.since + (isReturn ? RETURN_MS : PEERS_RELOAD_MS));
    }
  }
}

function segmentWait({ segment, before, list }: ParticipationFacts): readonly Wait[] {
  if (segment.kind === 'unknown') return wait('segment', segment.until);
  // Without an accepted list, `listWait` or the final check in `participation` applies.
  if (list.kind !== 'accepted') return [];
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

/** The history that the next decision starts from. It is written to the note, so it survives a restart of the monitor. */
export function nextBefore(before: Before, decided: Participation): Before {
  if (decided.state === 'in') return 'admitted';
  return decided.state === 'out' && decided.reason === 'removed' ? 'removed' : before;
}

/**
 * Until when a supervisor that stands in for this monitor keeps the node in FAULT; null until the monitor is back. A supervisor
 * has neither lists nor adverts, so it never admits a removed node, nor any node while an unheard host holds the VIP.
 */
export function notedUntil(decided: Participation, { before, segment }: ParticipationFacts): number | null {
  if (decided.state !== 'waiting' || !Number.isFinite(decided.until)) return null;
  return before === 'removed' || segment.kind === 'unheard' ? null : decided.until;
}

const TEXTS: Readonly<Record<Exclude<Participation, { state: 'in' }>['reason'], string>> = {
  'router-id': 'listening for other routers with the same virtual router id',
  'node-list': 'no API server has returned a node list',
  'node-list-settling': 'the node list has not settled',
  reload: 'keepalived has not reloaded with the node list',
  'peers-reload': 'the peers need time to reload with this node',
  're-admission': "this node was re-added to the node list and must receive the holder's adverts first",
  segment: 'probing the segment for the holder of the VIP, or keepalived.conf does not exist yet',
  'holder-silent': 'another host answers for the VIP, but its VRRP adverts do not reach this node',
  removed: 'the node list does not contain this node',
  'router-id-conflict': "another router on the segment uses this node's virtual router id or VIP",
  'source-address-missing':
    'this node lacks the address to which its peers send adverts, or the interface is down',
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
