import { isoTime } from '../../engine/system/time/iso-time.ts';
import type { Steer, Step } from '../../keepalived/track-value.ts';
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

/** Moves one VIP; with `backAtMs` the other way again at that time, whatever has become of the command. */
export interface MoveOrder extends Asked {
  readonly kind: 'move';
  readonly purpose: 'move-vip' | 'drill';
  readonly vip: VipKind;
  readonly first: Step;
  readonly backAtMs: number | undefined;
  /** From then on nothing of it is left, whatever it has achieved. */
  readonly untilMs: number;
}

export type SteeringOrder = DrainOrder | MoveOrder;

/** A longer move order is invalid: every order but a drain expires by itself. */
export const longestMoveMs = 600_000;

/**
 * How long the goal of a step must have been reached before the step ends. A holder that was beaten keeps its bonus for
 * half a second, and the one that has beaten it must first see that it holds: without this the VIP would go back.
 */
export const settleMs = 2_000;

type MoveOutcome =
  | 'moved'
  | 'moved-and-back'
  /** No node took it, or this node could not. */
  | 'not-moved'
  /** It moved, and was not taken back in time. */
  | 'not-back'
  /** It came back by itself before its time: the node that had it failed. */
  | 'back-early';

/** How far an order has come. Times as in the order. */
export type Steering =
  | { readonly kind: 'idle' }
  | { readonly kind: 'drained' }
  | {
      readonly kind: 'moving';
      readonly leg: 'there' | 'back';
      readonly step: Step;
      /** Since when it is where this step wants it. */
      readonly reachedMs: number | undefined;
      /** It has been where the first step wants it; a holder counts as that for a moment after it was beaten. */
      readonly wasThere: boolean;
    }
  /** Moved, and waits for the time to go back. */
  | { readonly kind: 'resting' }
  | { readonly kind: 'over'; readonly outcome: MoveOutcome };

type Moving = Extract<Steering, { kind: 'moving' }>;

export const notSteered: Steering = { kind: 'idle' };

/** What is seen at one moment; `nowMs` is the wall clock's, as it goes into the order. */
interface SteeringInputs {
  readonly nowMs: number;
  /** This node counts as the holder of the order's VIP. */
  readonly holds: boolean;
}

/**
 * The state after one more look. It needs no history: a monitor that starts in the middle of an order continues from
 * the order, the time and the holder of the VIP. The order is over past its deadline, and if the clock was set back so
 * far that it would last longer than any order may.
 */
export function nextSteering(state: Steering, order: SteeringOrder, look: SteeringInputs): Steering {
  if (order.kind === 'drain') return { kind: 'drained' };
  if (state.kind === 'over') return state;
  const { nowMs, holds } = look;
  const goal = (step: Step): boolean => holds === (step === 'claim');
  const isLate = nowMs >= order.untilMs || order.untilMs - nowMs > longestMoveMs;
  if (isLate) return { kind: 'over', outcome: lateOutcome(state, goal) };
  const goesBack = order.backAtMs !== undefined && nowMs >= order.backAtMs;
  if (state.kind === 'resting') {
    if (!goal(order.first)) return { kind: 'over', outcome: 'back-early' };
    return goesBack ? afterLook(legOf('back', order, true), order, goal, nowMs) : state;
  }
  const moving = state.kind === 'moving' ? state : legOf(goesBack ? 'back' : 'there', order, goesBack);
  const turned = goesBack && moving.leg === 'there' ? legOf('back', order, moving.wasThere) : moving;
  return afterLook(turned, order, goal, nowMs);
}

function legOf(leg: 'there' | 'back', { first }: MoveOrder, wasThere: boolean): Moving {
  const step = leg === 'there' ? first : opposite(first);
  return { kind: 'moving', leg, step, reachedMs: undefined, wasThere };
}

function opposite(step: Step): Step {
  return step === 'yield' ? 'claim' : 'yield';
}

function afterLook(moving: Moving, order: MoveOrder, goal: (step: Step) => boolean, nowMs: number): Steering {
  const reachedMs = goal(moving.step) ? (moving.reachedMs ?? nowMs) : undefined;
  // A clock that was put back begins the wait anew.
  const waitedMs = reachedMs === undefined ? 0 : nowMs - reachedMs;
  const wasThere = moving.wasThere || goal(order.first);
  const seen: Moving = { ...moving, wasThere, reachedMs: waitedMs < 0 ? nowMs : reachedMs };
  if (waitedMs < settleMs) return seen;
  if (moving.leg === 'back') return { kind: 'over', outcome: wasThere ? 'moved-and-back' : 'not-moved' };
  return order.backAtMs === undefined ? { kind: 'over', outcome: 'moved' } : { kind: 'resting' };
}

function lateOutcome(state: Steering, goal: (step: Step) => boolean): MoveOutcome {
  switch (state.kind) {
    case 'moving': {
      const reached = goal(state.step);
      if (state.leg === 'there') return reached ? 'moved' : 'not-moved';
      return !state.wasThere ? 'not-moved' : reached ? 'moved-and-back' : 'not-back';
    }
    case 'resting':
      return 'not-back';
    case 'idle':
    case 'drained':
    case 'over':
      return 'not-moved';
  }
}

/** What the state makes of the rank of VIPs of this kind. */
export function steerOf(state: Steering, order: SteeringOrder, kind: VipKind): Steer {
  if (order.kind === 'drain') return order.vips.includes(kind) ? 'drain' : 'none';
  return state.kind === 'moving' && order.vip === kind ? state.step : 'none';
}

/** For people: whose order about VIPs of this kind stands, since or until when, and why; undefined where none does. */
export function steeringText(state: Steering, order: SteeringOrder, kind: VipKind): string | undefined {
  const { by, why, atMs } = order;
  const because = why === '' ? '' : `: ${why}`;
  if (order.kind === 'drain')
    return order.vips.includes(kind) ? `drained by ${by} since ${isoTime(atMs)}${because}` : undefined;
  if (order.vip !== kind || state.kind === 'over') return undefined;
  const rest = state.kind === 'resting' ? `, goes back at ${isoTime(order.backAtMs ?? order.untilMs)}` : '';
  return `${order.purpose} by ${by} until ${isoTime(order.untilMs)} at most${rest}${because}`;
}
