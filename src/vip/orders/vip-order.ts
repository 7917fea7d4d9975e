import * as z from 'zod/mini';
import type { Immutable } from '../../engine/system/immutable.ts';
import type { OrderEffect } from '../../keepalived/track-value.ts';
import { type VipKind, vipKinds } from '../../keepalived/vip-kind.ts';

/** Text without control and bidirectional characters, because it is written to logs and terminals. */
export const words = z
  .string()
  .check(
    z.maxLength(200, { error: 'expected at most 200 characters' }),
    z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'expected text without control characters' }),
  );

const commonFields = {
  v: z.literal(1),
  /** Unique. */
  id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  /** The operator, as USER@HOST. */
  by: words,
  /** The operator's reason; may be empty. */
  why: words,
  at: z.iso.datetime(),
};

/** While the order is in effect, this node holds VIPs of these kinds only if no other node can. */
const drainSchema = z.strictObject({
  ...commonFields,
  order: z.literal('drain'),
  vips: z.array(z.enum(vipKinds)).check(z.minLength(1)),
});

/** The longest valid duration of a move order. */
export const longestMoveMs = 600_000;

/** Moves one VIP, even if the command that wrote the order has ended. The order expires at `until`, whether or not the VIP moved. */
const moveSchema = z
  .strictObject({
    ...commonFields,
    order: z.literal('move-vip'),
    vip: z.enum(vipKinds),
    first: z.enum(['demote', 'promote']),
    until: z.iso.datetime(),
  })
  .check(
    z.refine(({ at, until }) => Date.parse(until) - Date.parse(at) <= longestMoveMs, {
      error: `it would last for more than ${longestMoveMs} ms`,
    }),
  );

/** An order as it is stored in its file. */
export const orderSchema = z.discriminatedUnion('order', [drainSchema, moveSchema]);

export type DrainOrder = Immutable<z.infer<typeof drainSchema>>;
export type MoveOrder = Immutable<z.infer<typeof moveSchema>>;
export type VipOrder = DrainOrder | MoveOrder;

/**
 * How long a VIP must be at its target before the move ends. The previous holder keeps its bonus for half a second, and the new holder
 * needs a moment to get one. If the order ended earlier, the VIP would move back.
 */
export const settleMs = 2_000;

/** The progress of an order. Times are milliseconds of the Unix epoch. */
export type OrderProgress =
  /** A drain stays in this state. `reachedMs`: when the VIP reached the target of a move. */
  | { readonly kind: 'under-way'; readonly reachedMs: number | undefined }
  /** `not-moved`: no other node took the VIP, or this node could not take it. */
  | { readonly kind: 'over'; readonly outcome: 'moved' | 'not-moved' };

export const notBegun: OrderProgress = { kind: 'under-way', reachedMs: undefined };

/**
 * The state after one more observation, at `nowMs` of the wall clock. `holds`: this node counts as the holder of the order's VIP. A
 * monitor that starts in the middle of an order needs no history: the order, the time and the holder of the VIP are enough. The order
 * is over after its deadline, or if the clock was set back so far that it would last longer than `longestMoveMs`.
 */
export function nextProgress(
  state: OrderProgress,
  order: VipOrder,
  { nowMs, holds }: { readonly nowMs: number; readonly holds: boolean },
): OrderProgress {
  if (order.order === 'drain' || state.kind === 'over') return state;
  const isReached = holds === (order.first === 'promote');
  const leftMs = Date.parse(order.until) - nowMs;
  const isLate = leftMs <= 0 || leftMs > longestMoveMs;
  if (isLate) return { kind: 'over', outcome: isReached ? 'moved' : 'not-moved' };
  // A clock that was set back restarts the wait.
  const reachedMs = isReached ? Math.min(state.reachedMs ?? nowMs, nowMs) : undefined;
  if (reachedMs !== undefined && nowMs - reachedMs >= settleMs) return { kind: 'over', outcome: 'moved' };
  return { kind: 'under-way', reachedMs };
}

/** The effect of an order on this node's rank for VIPs of this kind. */
export function effectOf(state: OrderProgress, order: VipOrder, kind: VipKind): OrderEffect {
  if (order.order === 'drain') return order.vips.includes(kind) ? 'drain' : 'none';
  return state.kind === 'under-way' && order.vip === kind ? order.first : 'none';
}

/** Describes the order in effect for VIPs of this kind: who gave it, since or until when, and why; undefined without one. */
export function orderText(state: OrderProgress, order: VipOrder, kind: VipKind): string | undefined {
  const { by, why, at } = order;
  const because = why === '' ? '' : `: ${why}`;
  if (order.order === 'drain')
    return order.vips.includes(kind) ? `drained by ${by} since ${at}${because}` : undefined;
  if (order.vip !== kind || state.kind === 'over') return undefined;
  return `move-vip by ${by} until ${order.until} at most${because}`;
}
