import { isoTime } from '../../engine/system/time/iso-time.ts';
import type { OrderEffect, Step } from '../../keepalived/track-value.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';

interface Asked {
  /** Of this order and no other; one that is changed while it is carried out keeps it. */
  readonly id: string;
  /** The person and the purpose, as free text. */
  readonly by: string;
  readonly why: string;
  /** Milliseconds of the Unix epoch, as all times of an order. */
  readonly atMs: number;
}

/** Holds VIPs of these kinds only where no other node can, for as long as it stands. */
export interface DrainOrder extends Asked {
  readonly kind: 'drain';
  readonly vips: readonly VipKind[];
}

/** Moves one VIP, whether or not the command that asked for it is still running. */
export interface MoveOrder extends Asked {
  readonly kind: 'move';
  readonly vip: VipKind;
  readonly first: Step;
  /** The order expires then, whatever it has achieved. */
  readonly untilMs: number;
}

export type VipOrder = DrainOrder | MoveOrder;

/** A longer move order is invalid: every order but a drain expires by itself. */
export const longestMoveMs = 600_000;

/**
 * How long the goal of a move must hold before the move ends. A beaten holder keeps its bonus for half a second, and its
 * successor must first see that it is the holder: without this the VIP would go back.
 */
export const settleMs = 2_000;

/** How far an order has come. Times as in the order. */
export type OrderProgress =
  /** A drain stays here. `reachedMs`: since when the VIP is where a move wants it. */
  | { readonly kind: 'under-way'; readonly reachedMs: number | undefined }
  /** `not-moved`: no node took it, or this node could not. */
  | { readonly kind: 'over'; readonly outcome: 'moved' | 'not-moved' };

export const notBegun: OrderProgress = { kind: 'under-way', reachedMs: undefined };

/** One observation; `nowMs` is the wall clock's, as it goes into the order. */
interface OrderInputs {
  readonly nowMs: number;
  /** This node counts as the holder of the order's VIP. */
  readonly holds: boolean;
}

/**
 * The state after one more observation. It needs no history: a monitor that starts in the middle of an order continues
 * from the order, the time and the holder of the VIP. The order is over past its deadline, and if the clock was set back
 * so far that it would last longer than any order may.
 */
export function nextProgress(
  state: OrderProgress,
  order: VipOrder,
  { nowMs, holds }: OrderInputs,
): OrderProgress {
  if (order.kind === 'drain' || state.kind === 'over') return state;
  const isReached = holds === (order.first === 'promote');
  const isLate = nowMs >= order.untilMs || order.untilMs - nowMs > longestMoveMs;
  if (isLate) return { kind: 'over', outcome: isReached ? 'moved' : 'not-moved' };
  // A clock that was set back restarts the wait.
  const reachedMs = isReached ? Math.min(state.reachedMs ?? nowMs, nowMs) : undefined;
  if (reachedMs !== undefined && nowMs - reachedMs >= settleMs) return { kind: 'over', outcome: 'moved' };
  return { kind: 'under-way', reachedMs };
}

/** What the state makes of the rank of VIPs of this kind. */
export function effectOf(state: OrderProgress, order: VipOrder, kind: VipKind): OrderEffect {
  if (order.kind === 'drain') return order.vips.includes(kind) ? 'drain' : 'none';
  return state.kind === 'under-way' && order.vip === kind ? order.first : 'none';
}

/** For people: whose order about VIPs of this kind is in effect, since or until when, and why; undefined without one. */
export function orderText(state: OrderProgress, order: VipOrder, kind: VipKind): string | undefined {
  const { by, why, atMs } = order;
  const because = why === '' ? '' : `: ${why}`;
  if (order.kind === 'drain')
    return order.vips.includes(kind) ? `drained by ${by} since ${isoTime(atMs)}${because}` : undefined;
  if (order.vip !== kind || state.kind === 'over') return undefined;
  return `move-vip by ${by} until ${isoTime(order.untilMs)} at most${because}`;
}
