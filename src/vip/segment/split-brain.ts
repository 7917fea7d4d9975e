import type { Holder } from '../../engine/system/network/address-holders.ts';
import type { RankedPeer } from '../group/vrrp.ts';

/** Another host that answered for a VIP. */
export type OtherHolder = Holder<RankedPeer>;

/** One round of asking for the holders of the VIP. */
export interface HolderRound {
  /** This node's keepalived is MASTER. */
  readonly holds: boolean;
  readonly others: readonly OtherHolder[];
  readonly nowMs: number;
}

/** Times are in milliseconds of one monotonic clock. */
export interface SplitBrainState {
  /** Consecutive rounds in which another host answered, or in which none did. */
  readonly heard: number;
  readonly silent: number;
  /** When the first answer of this split came. */
  readonly sinceMs: number;
  /** Two nodes hold it. */
  readonly split: boolean;
}

export const initialSplitBrain: SplitBrainState = { heard: 0, silent: 0, sinceMs: 0, split: false };

/** One answer may come from a node that is just giving the VIP up. */
const ROUNDS_TO_BELIEVE = 2;
const ROUNDS_TO_FORGET = 3;

/**
 * The state after one more round. A split is reported in the second round that hears another host. It is over after three
 * rounds that do not, or when this node no longer holds the VIP.
 */
export function nextSplitBrain(
  state: SplitBrainState,
  { holds, others, nowMs }: HolderRound,
): SplitBrainState {
  if (!holds) return { ...state, heard: 0, silent: 0, split: false };
  if (others.length === 0) {
    const silent = state.silent + 1;
    return { ...state, heard: 0, silent, split: state.split && silent < ROUNDS_TO_FORGET };
  }
  const heard = state.heard + 1;
  const sinceMs = heard === 1 && !state.split ? nowMs : state.sinceMs;
  return { heard, silent: 0, sinceMs, split: state.split || heard >= ROUNDS_TO_BELIEVE };
}
