import type { SegmentFact } from '../participation/participation.ts';

/** One round of asking the segment for a VIP, and of listening. */
export interface VipUseRound {
  /** Hardware addresses of the other hosts that answered. */
  readonly answers: readonly string[];
  /** An advert of this VIP came in: its holder sends its adverts to this node too. */
  readonly isAdvertised: boolean;
  /** How long VRRP needs for a holder that fell silent. */
  readonly masterDownMs: number;
  readonly nowMs: number;
}

/** What the rounds up to now have found of one VIP. Times are in milliseconds of one monotonic clock. */
export interface VipUseState {
  readonly rounds: number;
  /** Consecutive rounds without an answer. */
  readonly silent: number;
  /** When the first of them was. */
  readonly silentSinceMs: number;
  /** Who answered last. */
  readonly holders: readonly string[];
  /** Consecutive rounds without an advert. */
  readonly unheard: number;
  readonly advertisedMs: number;
  /** When the first advert came of those without a gap between them. */
  readonly heardSinceMs: number;
  /** Consecutive rounds that could not be made. */
  readonly failed: number;
}

export const initialVipUse: VipUseState = {
  rounds: 0,
  silent: 0,
  silentSinceMs: Number.POSITIVE_INFINITY,
  holders: [],
  failed: 0,
  unheard: Number.POSITIVE_INFINITY,
  advertisedMs: Number.NEGATIVE_INFINITY,
  heardSinceMs: 0,
};

/** A single question or its answer may be lost. */
const ROUNDS_TO_BELIEVE = 3;

const NEXT_ROUND_MS = 500;
/** A boot waits for the first rounds. */
const FIRST_ROUNDS_MS = 100;

/**
 * The pause before the next round about these VIPs. It is short until every one of them has been asked for often enough. Rounds that
 * fail keep the long one: a lock of nft lasts longer than three short pauses.
 */
export function nextRoundInMs(states: readonly VipUseState[]): number {
  const isFirst = ({ rounds, failed }: VipUseState): boolean => failed === 0 && rounds < ROUNDS_TO_BELIEVE;
  return states.some(isFirst) ? FIRST_ROUNDS_MS : NEXT_ROUND_MS;
}
/**
 * An advert of these last rounds counts. An older one may be from before the holder forgot this node. Two rounds, once they are 0.75 s
 * apart, are much longer than the advert interval of the shipped template.
 */
const ROUNDS_HEARD = 2;
/**
 * With a longer interval the adverts of two VIPs may never come in the same two rounds. A take-over takes four intervals where
 * they are long, so an advert counts for two.
 */
const MASTER_DOWN_SHARE = 0.5;

export function nextVipUse(state: VipUseState, round: VipUseRound): VipUseState {
  const { answers, isAdvertised, masterDownMs, nowMs } = round;
  const isNew = isAdvertised && !isHeard(state, nowMs, masterDownMs);
  return {
    rounds: state.rounds + 1,
    silent: answers.length > 0 ? 0 : state.silent + 1,
    silentSinceMs: state.silent === 0 ? nowMs : state.silentSinceMs,
    holders: answers.length > 0 ? answers : state.holders,
    unheard: isAdvertised ? 0 : state.unheard + 1,
    advertisedMs: isAdvertised ? nowMs : state.advertisedMs,
    heardSinceMs: isNew ? nowMs : state.heardSinceMs,
    failed: 0,
  };
}

function isHeard({ unheard, advertisedMs }: VipUseState, nowMs: number, masterDownMs: number): boolean {
  return unheard < ROUNDS_HEARD || nowMs - advertisedMs < MASTER_DOWN_SHARE * masterDownMs;
}

/** A round in which the segment could not be asked. */
export function failedVipUse(state: VipUseState): VipUseState {
  return { ...state, failed: state.failed + 1 };
}

/**
 * Whether a node that competes now would be a second holder of the VIP. A holder that has this node as a peer sends it
 * adverts, and VRRP leaves one of the two. A holder that does not is never heard. `unobservable` takes three failures in a
 * row: nft is locked or slow now and then. `masterDownMs` is how long VRRP needs for a holder that fell silent: until then the
 * silence may be the gap of a failover.
 */
export function segmentOf(state: VipUseState, nowMs: number, masterDownMs: number): SegmentFact {
  const { rounds, silent, silentSinceMs, holders, heardSinceMs, failed } = state;
  if (failed >= ROUNDS_TO_BELIEVE) return { kind: 'unobservable' };
  if (failed > 0 || rounds < ROUNDS_TO_BELIEVE)
    return { kind: 'unknown', until: nowMs + ROUNDS_TO_BELIEVE * NEXT_ROUND_MS };
  if (isHeard(state, nowMs, masterDownMs)) return { kind: 'heard', since: heardSinceMs };
  if (holders.length > 0 && silent < ROUNDS_TO_BELIEVE) return { kind: 'unheard', macs: holders };
  const isFailoverOver = nowMs - silentSinceMs >= masterDownMs;
  return isFailoverOver ? { kind: 'free' } : { kind: 'unknown', until: silentSinceMs + masterDownMs };
}

const WORST_FIRST: readonly SegmentFact['kind'][] = ['unheard', 'unknown', 'unobservable', 'heard', 'free'];

/** What counts for VIPs that are held together. Without one to ask for, nothing is to be seen. */
export function worstOf(segments: readonly SegmentFact[]): SegmentFact {
  const sinceOf = (segment: SegmentFact): number => (segment.kind === 'heard' ? segment.since : 0);
  const [worst] = segments.toSorted(
    (a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind) || sinceOf(b) - sinceOf(a),
  );
  return worst ?? { kind: 'unobservable' };
}
