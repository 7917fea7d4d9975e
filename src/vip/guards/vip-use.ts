/** One round of asking the segment for a VIP, and of listening. */
export interface VipUseRound {
  /** Hardware addresses of the other hosts that answered. */
  readonly answers: readonly string[];
  /** An advert of this VIP came in: its holder sends its adverts to this node too. */
  readonly isAdvertised: boolean;
  readonly nowMs: number;
}

/** What the rounds up to now have found of one VIP. Times are in milliseconds of one monotonic clock. */
export interface VipUseState {
  readonly rounds: number;
  /** Consecutive rounds without an answer. */
  readonly silent: number;
  /** Who answered last. */
  readonly holders: readonly string[];
  readonly advertisedMs: number;
}

/** `elsewhere`: another host holds the VIP, and this node does not hear its adverts. `unknown`: too few rounds. */
export type VipUse =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'elsewhere'; readonly holders: readonly string[] };

export const initialVipUse: VipUseState = {
  ...{ rounds: 0, silent: 0, holders: [], advertisedMs: Number.NEGATIVE_INFINITY },
};

/** A single question or its answer may be lost. */
const ROUNDS_TO_BELIEVE = 3;
/** Longer than any advert interval. */
const HEARD_FOR_MS = 5_000;

export function nextVipUse(state: VipUseState, { answers, isAdvertised, nowMs }: VipUseRound): VipUseState {
  return {
    rounds: state.rounds + 1,
    silent: answers.length > 0 ? 0 : state.silent + 1,
    holders: answers.length > 0 ? answers : state.holders,
    advertisedMs: isAdvertised ? nowMs : state.advertisedMs,
  };
}

/**
 * Whether a node that takes part now would hold the VIP beside another host. A holder that has this node as a peer sends it
 * adverts, and VRRP leaves one of the two. A holder that does not is never heard.
 */
export function vipUseOf({ rounds, silent, holders, advertisedMs }: VipUseState, nowMs: number): VipUse {
  if (rounds < ROUNDS_TO_BELIEVE) return { kind: 'unknown' };
  const isHeld = holders.length > 0 && silent < ROUNDS_TO_BELIEVE;
  const isHeard = nowMs - advertisedMs < HEARD_FOR_MS;
  return isHeld && !isHeard ? { kind: 'elsewhere', holders } : { kind: 'clear' };
}
