import * as z from 'zod/mini';
import type { Immutable } from '../../engine/system/immutable.ts';
import type { OrderEffect } from '../../keepalived/track-value.ts';
import { type VipKind, vipKinds } from '../../keepalived/vip-kind.ts';

/** No control character, and none that turns text around: it goes into logs and to terminals. */
export const words = z
  .string()
  .check(
    z.maxLength(200, { error: 'expected at most 200 characters' }),
    z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'expected text without control characters' }),
  );

const asked = {
  v: z.literal(1),
  /** Of this order and no other. */
  id: z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  /** The person and the purpose. */
  by: words,
  why: words,
  at: z.iso.datetime(),
};

/** Holds VIPs of these kinds only where no other node can, for as long as it stands. */
const drainSchema = z.strictObject({
  ...asked,
  order: z.literal('drain'),
  vips: z.array(z.enum(vipKinds)).check(z.minLength(1)),
});

/** A longer move order is invalid: every order but a drain expires by itself. */
export const longestMoveMs = 600_000;

/** Moves one VIP, whether or not the command that asked for it is still running. It expires at `until`, whatever it has achieved. */
const moveSchema = z
  .strictObject({
    ...asked,
    order: z.literal('move'),
    vip: z.enum(vipKinds),
    first: z.enum(['demote', 'promote']),
    until: z.iso.datetime(),
  })
  .check(
    z.refine(({ at, until }) => Date.parse(until) - Date.parse(at) <= longestMoveMs, {
      error: `it would last for more than ${longestMoveMs} ms`,
    }),
  );

/** An order as it stands in its file. */
export const orderSchema = z.discriminatedUnion('order', [drainSchema, moveSchema]);

export type DrainOrder = Immutable<z.infer<typeof drainSchema>>;
export type MoveOrder = Immutable<z.infer<typeof moveSchema>>;
export type VipOrder = DrainOrder | MoveOrder;

/**
 * How long the goal of a move must hold before the move ends. A beaten holder keeps its bonus for half a second, and its
 * successor must first see that it is the holder: without this the VIP would go back.
 */
export const settleMs = 2_000;

/** How far an order has come. Times are milliseconds of the Unix epoch. */
export type OrderProgress =
  /** A drain stays here. `reachedMs`: since when the VIP is where a move wants it. */
  | { readonly kind: 'under-way'; readonly reachedMs: number | undefined }
  /** `not-moved`: no node took it, or this node could not. */
  | { readonly kind: 'over'; readonly outcome: 'moved' | 'not-moved' };

export const notBegun: OrderProgress = { kind: 'under-way', reachedMs: undefined };

/**
 * The state after one more observation, at `nowMs` of the wall clock; `holds`: this node counts as the holder of the order's VIP. It needs no history: a monitor that starts in the middle of an order continues
 * from the order, the time and the holder of the VIP. The order is over past its deadline, and if the clock was set back
 * so far that it would last longer than any order may.
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

/** What the state makes of the rank of VIPs of this kind. */
export function effectOf(state: OrderProgress, order: VipOrder, kind: VipKind): OrderEffect {
  if (order.order === 'drain') return order.vips.includes(kind) ? 'drain' : 'none';
  return state.kind === 'under-way' && order.vip === kind ? order.first : 'none';
}

/** For people: whose order about VIPs of this kind is in effect, since or until when, and why; undefined without one. */
export function orderText(state: OrderProgress, order: VipOrder, kind: VipKind): string | undefined {
  const { by, why, at } = order;
  const because = why === '' ? '' : `: ${why}`;
  if (order.order === 'drain')
    return order.vips.includes(kind) ? `drained by ${by} since ${at}${because}` : undefined;
  if (order.vip !== kind || state.kind === 'over') return undefined;
  return `move-vip by ${by} until ${order.until} at most${because}`;
}
