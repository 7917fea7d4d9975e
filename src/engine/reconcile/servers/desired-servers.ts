import { type ApiServer, sameServers } from '../../kube/api-server.ts';
import { markApplied, type SettleState, settle, settleDecision, startSettling } from '../settle.ts';
import { countPoll, type LossDecision, lossDecision, type PollAgreement } from './loss-guard.ts';

/** What a monitor has seen and what it wants, between two looks at the API. */
export interface DesiredServers {
  readonly settling: SettleState<readonly ApiServer[]>;
  /** The list that was seen last, whatever became of it. */
  readonly latest: readonly ApiServer[] | undefined;
  /** The last list that was good, from an earlier run: what a new list is measured against before one is applied. */
  readonly lastKnown: readonly ApiServer[] | undefined;
  readonly agreement: PollAgreement | undefined;
  readonly failedProbe: readonly ApiServer[];
}

export type DesiredDecision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'wait'; readonly lookAgainInMs: number }
  | Extract<LossDecision, { kind: 'hold' }>
  | { readonly kind: 'apply'; readonly servers: readonly ApiServer[] };

/** A list that never stops changing is decided about after this many times `--settle`. */
const LONGEST_SETTLES = 10;

export function startDesired(lastKnown: readonly ApiServer[] | undefined, settleMs: number): DesiredServers {
  const rules = { same: sameServers, quietMs: settleMs, longestMs: LONGEST_SETTLES * settleMs };
  const settling = startSettling<readonly ApiServer[]>(rules);
  return { settling, latest: undefined, lastKnown, agreement: undefined, failedProbe: [] };
}

/** Takes in one list that an API server gave. */
export function recordObserved(
  desired: DesiredServers,
  observation: { readonly via: 'watch' | 'poll'; readonly servers: readonly ApiServer[] },
  nowMs: number,
): DesiredServers {
  const { via, servers } = observation;
  return {
    ...desired,
    latest: servers,
    settling: settle(desired.settling, servers, nowMs),
    agreement: countPoll(desired.agreement, via, servers),
  };
}

/** First settled, then guarded: what should be done about the latest list now. */
export function decideDesired(desired: DesiredServers, nowMs: number): DesiredDecision {
  const decision = settleDecision(desired.settling, nowMs);
  if (decision.kind !== 'settled') return decision;
  const { agreement, failedProbe, lastKnown } = desired;
  const current = desired.settling.applied ?? lastKnown;
  const loss = lossDecision({ current, candidate: decision.value, agreement, failedProbe });
  return loss.kind === 'apply' ? { kind: 'apply', servers: decision.value } : loss;
}

/**
 * Remembers that this list is served now. What was seen while it was being applied is a change from here on, even if
 * it is the list of before.
 */
export function recordApplied(
  desired: DesiredServers,
  servers: readonly ApiServer[],
  nowMs: number,
): DesiredServers {
  const served = markApplied(desired.settling, servers);
  const settling = desired.latest === undefined ? served : settle(served, desired.latest, nowMs);
  return { ...desired, settling, failedProbe: [] };
}
