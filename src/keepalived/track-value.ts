import type { VipKind } from './vip-kind.ts';

/** The effect of an operator's order on this node's rank; `trackValue` gives each its points. */
export type OrderEffect = 'none' | 'drain' | Step;

/** `yield`: any healthy node may take the VIP. `claim`: this node takes it, if it is healthy. */
export type Step = 'demote' | 'promote';

/**
 * What the track file adds to an instance's priority. The priorities of up to 29 nodes lie within
 * 28 points (`prioritySpread`) and these are 30 apart, so that every node of one kind outranks every node of the next,
 * and a holder every other node of its kind: 222..250, 192..220, 162..190 and so on down to 12..40.
 */
export const TRACK = {
  healthyHolder: 30,
  healthy: 0,
  /** It seems to work, but that is unconfirmed: its monitor is silent, or its check was failing a moment ago. */
  doubtfulHolder: -30,
  doubtful: -60,
  /** Drained: takes the VIP only if no other node can. */
  drainedHolder: -90,
  drained: -120,
  /** The service is gone, but something stands in for it: better than nothing, worse than any other node. */
  degradedHolder: -150,
  degraded: -180,
  /**
   * keepalived takes -254 and less as FAULT and sends its peers an advert of priority 0, so that the next node takes
   * over at once. With a merely lower priority they would wait until the master counts as dead.
   */
  fault: -254,
} as const;

/** Above every other node, holder or not; 255 is that of an address's owner. */
const promoted = 254;

/** How long the service must be gone before something stands in for it; others take over in far less. */
export const localApiAfterMs = 1_500;

export interface TrackHealth {
  readonly kind: VipKind;
  /**
   * What serves the VIP on this node: HAProxy, or the ingress router. `doubtful`: it answers, but the flap governor
   * holds it back. `unknown`: not checked yet. `unchecked`: the VIP follows no health.
   */
  readonly service: 'ok' | 'doubtful' | 'failed' | 'unknown' | 'unchecked';
  /** How long it has been failing, 0 while it is not. */
  readonly failedForMs: number;
  /** Something else on this node serves, as well as it can: for the API VIP the node's own API server. */
  readonly localApiServes: boolean;
  /** The VIP is here. */
  readonly holder: boolean;
  /** No node is healthy, and nothing stands in here: the VIP stays where it is. */
  readonly everyoneFailing: boolean;
  /** What an operator has asked of this node. */
  readonly order: OrderEffect;
  /** The lowest priority of its instances of this kind before anything is added; undefined while they are not known. */
  readonly priority: number | undefined;
}

/** A part of a priority, and where it comes from, for a person. */
export interface Addend {
  readonly points: number;
  readonly why: string;
}

export function pointsOf(addends: readonly Addend[]): number {
  return addends.reduce((sum, { points }) => sum + points, 0);
}

/** What the track value of a node that participates is made of: what serves first, then what is added to it. Never empty. */
export function trackAddends(health: TrackHealth): readonly Addend[] {
  const verdict = verdictOf(health);
  if (verdict.points === TRACK.fault) return [verdict];
  const bonus = health.holder ? [{ points: TRACK.healthyHolder, why: 'it holds the VIP' }] : [];
  return [verdict, ...bonus, ...orderAddend(health, verdict.points)];
}

/** Only a healthy node gives the VIP away or takes it: an order moves no VIP to or from a failing node. */
function orderAddend({ service, holder, order, priority }: TrackHealth, points: number): readonly Addend[] {
  const isWell = service === 'ok' || service === 'unchecked';
  switch (order) {
    case 'drain':
      return points < TRACK.doubtful ? [] : [{ points: TRACK.drained - points, why: 'it is drained' }];
    case 'demote':
      return isWell ? [{ points: TRACK.doubtful, why: 'it gives the VIP away' }] : [];
    case 'promote': {
      const missing = promoted - (priority ?? promoted) - (holder ? TRACK.healthyHolder : 0);
      return isWell && missing > 0 ? [{ points: missing, why: 'it takes the VIP' }] : [];
    }
    case 'none':
      return [];
  }
}

/** What serves the VIPs of each kind. */
export const serverOf: Readonly<Record<VipKind, string>> = { api: 'HAProxy', ingress: 'the ingress router' };

/** Without the holder's bonus. */
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

/** Of each kind of node, what a holder's value becomes when it holds nothing any more. */
const WITHOUT_BONUS: ReadonlyMap<number, number> = new Map([
  [TRACK.healthyHolder, TRACK.healthy],
  [TRACK.doubtfulHolder, TRACK.doubtful],
  [TRACK.drainedHolder, TRACK.drained],
  [TRACK.degradedHolder, TRACK.degraded],
]);

export function withoutBonus(value: number): number {
  return WITHOUT_BONUS.get(value) ?? value;
}
