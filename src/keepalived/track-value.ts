import type { VipKind } from './vip-kind.ts';

/** The effect of an operator's order on this node's rank. `trackAddends` assigns the points. */
export type OrderEffect = 'none' | 'drain' | Step;

/** `demote`: any healthy node may take the VIP from this one. `promote`: this node takes the VIP if it is healthy. */
export type Step = 'demote' | 'promote';

/**
 * The values that the track file adds to an instance's priority. The priorities of up to 29 nodes are within 28 points
 * (`prioritySpread`) and these values are 30 apart. So every node of one class outranks every node of the next, and a holder outranks
 * every other node of its class: 222..250, 192..220, 162..190 and so on down to 12..40.
 */
export const TRACK = {
  healthyHolder: 30,
  healthy: 0,
  /** Probably healthy, but unconfirmed: the monitor is silent, or the check failed a moment ago. */
  doubtfulHolder: -30,
  doubtful: -60,
  /** Drained: takes the VIP only if no other node can. */
  drainedHolder: -90,
  drained: -120,
  /** The service has failed, but a substitute serves: better than no holder, worse than any other node. */
  degradedHolder: -150,
  degraded: -180,
  /**
   * keepalived treats -254 and less as FAULT and sends its peers an advert with priority 0, so that the next node takes over at once.
   * With a merely lower priority, the peers would wait until they consider the master dead.
   */
  fault: -254,
} as const;

/** Higher than any other node. 255 is reserved for the owner of an address. */
const promoted = 254;

/** How long the service must have failed before its substitute counts. Another node takes over in much less time. */
export const localApiAfterMs = 1_500;

export interface TrackHealth {
  readonly kind: VipKind;
  /**
   * The state of the service behind the VIP on this node: HAProxy or the ingress router. `doubtful`: it answers, but the flap governor
   * does not trust it yet. `unknown`: not checked yet. `unchecked`: health is not checked.
   */
  readonly service: 'ok' | 'doubtful' | 'failed' | 'unknown' | 'unchecked';
  /** How long the service has been failing; 0 while it is not. */
  readonly failedForMs: number;
  /** The substitute on this node serves: for the API VIP, the node's own API server. */
  readonly localApiServes: boolean;
  /** This node counts as the holder of the VIP. */
  readonly holder: boolean;
  /** No node is healthy and this node has no substitute: the VIP stays where it is. */
  readonly everyoneFailing: boolean;
  /** The effect of the operator's order. */
  readonly order: OrderEffect;
  /** The lowest base priority of this node's instances of the kind; undefined without a model. */
  readonly priority: number | undefined;
}

/** One term of a priority, and the reason for it as text. */
export interface Addend {
  readonly points: number;
  readonly why: string;
}

export function pointsOf(addends: readonly Addend[]): number {
  return addends.reduce((sum, { points }) => sum + points, 0);
}

/** The terms of the track value of a participating node: the health first, then the bonus and the order. Never empty. */
export function trackAddends(health: TrackHealth): readonly Addend[] {
  const verdict = verdictOf(health);
  if (verdict.points === TRACK.fault) return [verdict];
  const bonus = health.holder ? [{ points: TRACK.healthyHolder, why: 'it holds the VIP' }] : [];
  return [verdict, ...bonus, ...orderAddend(health, verdict.points)];
}

/** A move applies only to a healthy node: an order never moves a VIP to or from a failing node. */
function orderAddend({ service, holder, order, priority }: TrackHealth, points: number): readonly Addend[] {
  const isHealthy = service === 'ok' || service === 'unchecked';
  switch (order) {
    case 'drain':
      return points < TRACK.doubtful ? [] : [{ points: TRACK.drained - points, why: 'it is drained' }];
    case 'demote':
      return isHealthy ? [{ points: TRACK.doubtful, why: 'it gives the VIP away' }] : [];
    case 'promote': {
      const missing = promoted - (priority ?? promoted) - (holder ? TRACK.healthyHolder : 0);
      return isHealthy && missing > 0 ? [{ points: missing, why: 'it takes the VIP' }] : [];
    }
    case 'none':
      return [];
  }
}

/** The service behind the VIPs of each kind, as text. */
export const serverOf: Readonly<Record<VipKind, string>> = { api: 'HAProxy', ingress: 'the ingress router' };

/** The term for the node's health, without the holder's bonus. */
function verdictOf({ kind, service, failedForMs, localApiServes, everyoneFailing }: TrackHealth): Addend {
  const server = serverOf[kind];
  if (service === 'unknown') return { points: TRACK.fault, why: `${server} has not been checked yet` };
  if (service === 'unchecked') return { points: TRACK.healthy, why: `${server} is not checked` };
  if (service === 'ok') return { points: TRACK.healthy, why: `${server} serves` };
  if (everyoneFailing)
    return { points: TRACK.healthy, why: `${server} does not serve, but no other node does either` };
  if (service === 'doubtful')
    return { points: TRACK.doubtful, why: `${server} serves again, but is doubtful` };
  if (!localApiServes || failedForMs < localApiAfterMs)
    return { points: TRACK.fault, why: `${server} does not serve` };
  return { points: TRACK.degraded, why: `${server} does not serve, the local API server stands in` };
}

/** The value of a holder of each class after it has lost the VIP. */
const WITHOUT_BONUS: ReadonlyMap<number, number> = new Map([
  [TRACK.healthyHolder, TRACK.healthy],
  [TRACK.doubtfulHolder, TRACK.doubtful],
  [TRACK.drainedHolder, TRACK.drained],
  [TRACK.degradedHolder, TRACK.degraded],
]);

export function withoutBonus(value: number): number {
  return WITHOUT_BONUS.get(value) ?? value;
}
