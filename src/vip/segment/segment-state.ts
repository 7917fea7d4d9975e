import type { SegmentFact } from '../participation/participation.ts';

/** The result of one round of probing and listening for a VIP. */
export interface VipUseRound {
  /** Another host answered. */
  readonly isAnswered: boolean;
  /** An advert of this VIP was received: the holder has this node as a peer. */
  readonly isAdvertised: boolean;
  /** How long VRRP waits before it replaces a silent holder. */
  readonly masterDownMs: number;
  readonly nowMs: number;
}

/** The accumulated results for one VIP. Times are in milliseconds of one monotonic clock. */
export interface VipUseState {
  readonly rounds: number;
  /** Consecutive rounds without an answer. */
  readonly silent: number;
  /** When the first of these rounds was. */
  readonly silentSinceMs: number;
  /** Consecutive rounds without an advert. */
  readonly unheard: number;
  /** When the last advert was received. */
  readonly advertisedMs: number;
  /** When the current sequence of adverts without a gap began. */
  readonly heardSinceMs: number;
  /** Consecutive rounds that failed. */
  readonly failed: number;
}

export const initialVipUse: VipUseState = {
  rounds: 0,
  silent: 0,
  silentSinceMs: Number.POSITIVE_INFINITY,
  failed: 0,
  unheard: Number.POSITIVE_INFINITY,
  advertisedMs: Number.NEGATIVE_INFINITY,
  heardSinceMs: 0,
};

/** A single probe or its answer may be lost. */
const REQUIRED_ROUNDS = 3;

const NEXT_ROUND_MS = 500;
/** A booting node waits for the first rounds. */
const FIRST_ROUNDS_MS = 100;

/**
 * The pause before the next round for these VIPs. It is short until each VIP has had `REQUIRED_ROUNDS` rounds. After a failed
 * round it is long, because an nft lock outlasts three short pauses.
 */
export function nextRoundInMs(states: readonly VipUseState[]): number {
  const isFirst = ({ rounds, failed }: VipUseState): boolean => failed === 0 && rounds < REQUIRED_ROUNDS;
  return states.some(isFirst) ? FIRST_ROUNDS_MS : NEXT_ROUND_MS;
}
/**
 * Only an advert within this many rounds counts. An older one may be from before the holder dropped this node. Two rounds of 0.75 s
 * are much longer than the advert interval of the shipped template.
 */
const ROUNDS_HEARD = 2;
/**
 * With a longer interval, the adverts of two VIPs may never arrive within the same two rounds. The master-down time is then about
 * four intervals, so an advert counts for two of them.
 */
const MASTER_DOWN_SHARE = 0.5;

export function nextVipUse(state: VipUseState, round: VipUseRound): VipUseState {
  const { isAnswered, isAdvertised, masterDownMs, nowMs } = round;
  const isNew = isAdvertised && !isHeard(state, nowMs, masterDownMs);
  return {
    rounds: state.rounds + 1,
    silent: isAnswered ? 0 : state.silent + 1,
    silentSinceMs: state.silent === 0 ? nowMs : state.silentSinceMs,
    unheard: isAdvertised ? 0 : state.unheard + 1,
    advertisedMs: isAdvertised ? nowMs : state.advertisedMs,
    heardSinceMs: isNew ? nowMs : state.heardSinceMs,
    failed: 0,
  };
}

function isHeard({ unheard, advertisedMs }: VipUseState, nowMs: number, masterDownMs: number): boolean {
  return unheard < ROUNDS_HEARD || nowMs - advertisedMs < MASTER_DOWN_SHARE * masterDownMs;
}

/** The state after a round that failed. */
export function failedVipUse(state: VipUseState): VipUseState {
  return { ...state, failed: state.failed + 1 };
}

/**
 * Whether a node that starts to compete now would become a second holder of the VIP. A holder that has this node as a peer sends
 * it adverts, and VRRP resolves the conflict. A holder without this node as a peer is never heard. `unobservable` takes three
 * consecutive failures, because nft is sometimes locked or slow. Within `masterDownMs`, the time after which VRRP replaces a silent
 * holder, silence may be a failover in progress.
 */
export function segmentOf(state: VipUseState, nowMs: number, masterDownMs: number): SegmentFact {
  const { rounds, silent, silentSinceMs, heardSinceMs, failed } = state;
  if (failed >= REQUIRED_ROUNDS) return { kind: 'unobservable' };
  if (failed > 0 || rounds < REQUIRED_ROUNDS) return notYetKnown(nowMs);
  if (isHeard(state, nowMs, masterDownMs)) return { kind: 'heard', since: heardSinceMs };
  if (silent < REQUIRED_ROUNDS) return { kind: 'unheard' };
  const isFailoverOver = nowMs - silentSinceMs >= masterDownMs;
  return isFailoverOver ? { kind: 'free' } : { kind: 'unknown', until: silentSinceMs + masterDownMs };
}

/** The fact until the rounds that it takes are complete. */
export function notYetKnown(nowMs: number): SegmentFact {
  return { kind: 'unknown', until: nowMs + REQUIRED_ROUNDS * NEXT_ROUND_MS };
}

const WORST_FIRST: readonly SegmentFact['kind'][] = ['unheard', 'unknown', 'unobservable', 'heard', 'free'];

/** The fact for VIPs that are held together: the worst of theirs; `unobservable` if there are none. */
export function worstOf(segments: readonly SegmentFact[]): SegmentFact {
  const sinceOf = (segment: SegmentFact): number => (segment.kind === 'heard' ? segment.since : 0);
  const [worst] = segments.toSorted(
    (a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind) || sinceOf(b) - sinceOf(a),
  );
  return worst ?? { kind: 'unobservable' };
}
