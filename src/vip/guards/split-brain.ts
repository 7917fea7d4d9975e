import { addressNumber } from '../../engine/system/network/node-address.ts';
import type { RankedPeer, VrrpInstance } from '../group/vrrp.ts';

/** Another host that answered for a VIP. */
export interface OtherHolder {
  readonly mac: string;
  /** The node whose network card that is; undefined for a stranger. */
  readonly peer: RankedPeer | undefined;
}

/** One round of asking for the holders of the VIP. */
export interface HolderRound {
  /** This node's keepalived is MASTER. */
  readonly holds: boolean;
  readonly others: readonly OtherHolder[];
  readonly nowMs: number;
  /** `--resolve-split-brain`. */
  readonly resolve: boolean;
}

/** Times are in milliseconds of one monotonic clock. */
export interface SplitBrainState {
  /** Consecutive rounds in which another host answered, or in which none did. */
  readonly heard: number;
  readonly silent: number;
  /** When the first answer of this split came. */
  readonly sinceMs: number;
  readonly lastHeardMs: number;
  /** Two nodes hold it. */
  readonly split: boolean;
  /** This node has left, and stays away. */
  readonly out: boolean;
  /** How often it has left without a long time in between, and when it did last. */
  readonly exits: number;
  readonly leftMs: number;
}

export const initialSplitBrain: SplitBrainState = {
  ...{ heard: 0, silent: 0, sinceMs: 0, lastHeardMs: 0, split: false, out: false, exits: 0, leftMs: 0 },
};

/** One answer may come from a node that is just giving the VIP up. */
const ROUNDS_TO_BELIEVE = 2;
const ROUNDS_TO_FORGET = 3;
/** VRRP settles by itself what can be settled: a healed partition in 150 ms, a holder that died within 1 s. */
const LEAVE_AFTER_MS = 3_000;
const FIRST_HOLD_OFF_MS = 5_000;
const LONGEST_HOLD_OFF_MS = 60_000;
const FORGET_EXITS_AFTER_MS = 600_000;

/**
 * The state after one more round. A split is believed in the second round that hears another host, and over after three
 * that do not, or when this node no longer holds the VIP.
 *
 * The lower of two nodes leaves, once VRRP has had its time, and only for a peer that outranks it: a stranger's answer
 * could drive every node away. It stays out until no host has answered for a while, each time longer: then there is no
 * holder that it could disturb.
 */
export function nextSplitBrain(
  state: SplitBrainState,
  round: HolderRound,
  self: Pick<VrrpInstance, 'priority' | 'sourceAddress'>,
): SplitBrainState {
  const counted = count(state, round);
  if (counted.out) {
    const quiet = round.nowMs - counted.lastHeardMs >= holdOffMs(counted.exits);
    return quiet ? { ...counted, out: false } : counted;
  }
  return mustLeave(counted, round, self) ? left(counted, round.nowMs) : counted;
}

function count(state: SplitBrainState, { holds, others, nowMs }: HolderRound): SplitBrainState {
  if (!holds && !state.out) return { ...state, heard: 0, silent: 0, split: false };
  if (others.length === 0) {
    const silent = state.silent + 1;
    return { ...state, heard: 0, silent, split: holds && state.split && silent < ROUNDS_TO_FORGET };
  }
  const heard = state.heard + 1;
  const sinceMs = heard === 1 && !state.split ? nowMs : state.sinceMs;
  const split = holds && (state.split || heard >= ROUNDS_TO_BELIEVE);
  return { ...state, heard, silent: 0, sinceMs, lastHeardMs: nowMs, split };
}

function mustLeave(
  { split, sinceMs }: SplitBrainState,
  { others, nowMs, resolve }: HolderRound,
  self: Pick<VrrpInstance, 'priority' | 'sourceAddress'>,
): boolean {
  if (!resolve || !split || nowMs - sinceMs < LEAVE_AFTER_MS) return false;
  return others.some(({ peer }) => peer !== undefined && outranks(peer, self));
}

/** As VRRP decides between two priorities, and with equal ones between the addresses: of two nodes always one. */
export function outranks(
  peer: Pick<RankedPeer, 'priority' | 'address'>,
  self: Pick<VrrpInstance, 'priority' | 'sourceAddress'>,
): boolean {
  if (peer.priority !== self.priority) return peer.priority > self.priority;
  return BigInt(addressNumber(peer.address)) > BigInt(addressNumber(self.sourceAddress));
}

function left(state: SplitBrainState, nowMs: number): SplitBrainState {
  const recently = state.exits > 0 && nowMs - state.leftMs < FORGET_EXITS_AFTER_MS;
  return { ...state, out: true, exits: recently ? state.exits + 1 : 1, leftMs: nowMs };
}

function holdOffMs(exits: number): number {
  return Math.min(LONGEST_HOLD_OFF_MS, FIRST_HOLD_OFF_MS * 2 ** (exits - 1));
}
