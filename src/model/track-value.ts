import type { VipKind, VrrpProfile } from './vrrp.ts';

/**
 * What the track file adds to an instance's priority in the fast profile. The priorities of up to 29 nodes lie within
 * 28 points (`prioritySpread`) and these are 30 apart, so that every node of one kind outranks every node of the next,
 * and a holder every other node of its kind: 222..250, 192..220, 162..190, 132..160, 102..130, 72..100.
 */
export const TRACK = {
  healthyHolder: 30,
  healthy: 0,
  /** It seems to work, but nobody vouches for it: its monitor is silent, or its check was failing a moment ago. */
  doubtfulHolder: -30,
  doubtful: -60,
  /** The service is gone, but something stands in for it: better than nothing, worse than anybody else. */
  degradedHolder: -90,
  degraded: -120,
  /**
   * keepalived takes -254 and less as FAULT and tells its peers with a priority-0 advert, so that the next one takes
   * over at once. A priority that only falls lets them wait until the master is taken for dead.
   */
  fault: -254,
} as const;

/** How long the service must be gone before something stands in for it; others take over in far less. */
export const standInAfterMs = 1_500;

export interface TrackHealth {
  readonly profile: VrrpProfile;
  readonly kind: VipKind;
  /**
   * What serves the VIP on this node: HAProxy, or the ingress router. `doubtful`: it answers, but the flap governor
   * holds it back. `unknown`: nobody has looked yet.
   */
  readonly service: 'ok' | 'doubtful' | 'failed' | 'unknown';
  /** How long it has been failing, 0 while it is not. */
  readonly failedForMs: number;
  /** Something else on this node serves, as well as it can: for the API VIP the node's own API server. */
  readonly standIn: boolean;
  /** The VIP is here. */
  readonly holder: boolean;
  /** No node has a service that works, and this one nothing that stands in: there is nobody to move the VIP to. */
  readonly everyoneFailing: boolean;
  /** A bootstrap node that has handed over (`nextBootstrap`), or one that left a split brain (`nextSplitBrain`). */
  readonly resigned: boolean;
  /** This node has the address that its adverts come from. Without it they still arrive, but clients get no answer. */
  readonly addressed: boolean;
}

/** A part of a priority, and where it comes from, for a person. */
export interface Addend {
  readonly points: number;
  readonly why: string;
}

/** The number that belongs into the track file now. */
export function trackValue(health: TrackHealth): number {
  return trackAddends(health).reduce((sum, { points }) => sum + points, 0);
}

/** What that number is made of: what serves first, then what is added to it. Never empty. */
export function trackAddends(health: TrackHealth): readonly Addend[] {
  if (health.resigned) return [{ points: TRACK.fault, why: 'this node has given the VIP up' }];
  if (!health.addressed)
    return [{ points: TRACK.fault, why: 'the address that its adverts come from is not here' }];
  if (health.profile === 'openshift') return openshiftScores(health);
  const verdict = fastVerdict(health);
  const isHolder = health.holder && verdict.points !== TRACK.fault;
  return isHolder ? [verdict, { points: TRACK.healthyHolder, why: 'it holds the VIP' }] : [verdict];
}

/** What serves the VIPs of each kind. */
export const serverOf: Readonly<Record<VipKind, string>> = { api: 'HAProxy', ingress: 'the ingress router' };

/** Without the holder's bonus. */
function fastVerdict({ kind, service, failedForMs, standIn, everyoneFailing }: TrackHealth): Addend {
  const server = serverOf[kind];
  if (service === 'unknown') return { points: TRACK.fault, why: `${server} has not been looked at yet` };
  if (service === 'ok') return { points: TRACK.healthy, why: `${server} serves` };
  if (everyoneFailing)
    return { points: TRACK.healthy, why: `${server} does not serve, but nobody is better off` };
  if (service === 'doubtful')
    return { points: TRACK.doubtful, why: `${server} serves again, but is doubtful` };
  if (!standIn || failedForMs < standInAfterMs)
    return { points: TRACK.fault, why: `${server} does not serve` };
  return { points: TRACK.degraded, why: `${server} does not serve, the local API server stands in` };
}

/**
 * What the shell pods' scripts would add. To the API's 40: 20 for the load balancer, 5 and 3 for it or the local API
 * server. To the ingress VIP's 20: 50 for a router that is ready.
 */
function openshiftScores({ kind, service, standIn }: TrackHealth): readonly Addend[] {
  const serves = service === 'ok';
  const server = serverOf[kind];
  const worth = kind === 'ingress' ? 50 : 20;
  const verdict = serves
    ? { points: worth, why: `${server} serves` }
    : { points: 0, why: `${server} does not serve` };
  if (kind === 'ingress') return [verdict];
  const either = serves || standIn;
  const found = either
    ? 'HAProxy or the local API server serves'
    : 'the local API server does not serve either';
  return [verdict, { points: either ? 5 + 3 : 0, why: found }];
}

/**
 * What stands in for a value that its monitor has stopped refreshing. In the fast profile it never outranks a healthy
 * node and is never above `last`, except that FAULT ends: a node that nobody can speak for any more is still better than
 * no holder at all. Where every monitor is silent the holder stays the highest, and nothing moves. In the openshift
 * profile it is what shell pods have whose scripts all fail: nothing is added, and a bootstrap node that has handed over
 * stays in FAULT, because its bare priority outranks every score. `last` is undefined where the file says nothing readable.
 */
export function silentTrackValue(profile: VrrpProfile, last: number | undefined, holder: boolean): number {
  if (profile === 'openshift') return last !== undefined && last <= TRACK.fault ? TRACK.fault : 0;
  const wasServing = last !== undefined && last >= TRACK.doubtful;
  if (wasServing) return holder ? TRACK.doubtfulHolder : TRACK.doubtful;
  return holder ? TRACK.degradedHolder : TRACK.degraded;
}
