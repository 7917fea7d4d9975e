import { type ApiServer, sameServers } from '../../kube/api-server.ts';
import { markApplied, type SettleState, settle, settleDecision, startSettling } from '../settle.ts';
import { countPoll, type LossDecision, lossDecision, type PollAgreement } from './loss-guard.ts';

/** What a monitor observed and applied, with the state of the loss guard. */
export interface DesiredServers {
  readonly settling: SettleState<readonly ApiServer[]>;
  /** The last observed list, whether applied or not. */
  readonly latest: readonly ApiServer[] | undefined;
  /** The list of an earlier run. Before a list is applied, new lists are compared with it. */
  readonly lastKnown: readonly ApiServer[] | undefined;
  readonly agreement: PollAgreement | undefined;
  /** Servers whose probe failed since the latest list was first observed. */
  readonly failedProbe: readonly ApiServer[];
}

export type DesiredDecision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'wait'; readonly recheckInMs: number }
  | Extract<LossDecision, { kind: 'hold' }>
  | { readonly kind: 'apply'; readonly servers: readonly ApiServer[] };

/** A list that keeps changing is settled after this many times `--settle`. */
const LONGEST_SETTLES = 10;

export function startDesired(lastKnown: readonly ApiServer[] | undefined, settleMs: number): DesiredServers {
  const rules = { same: sameServers, quietMs: settleMs, longestMs: LONGEST_SETTLES * settleMs };
  const settling = startSettling<readonly ApiServer[]>(rules);
  return { settling, latest: undefined, lastKnown, agreement: undefined, failedProbe: [] };
}

/** Records a list from an API server. */
export function recordObserved(
  desired: DesiredServers,
  observation: { readonly via: 'watch' | 'poll'; readonly servers: readonly ApiServer[] },
  nowMs: number,
): DesiredServers {
  const { via, servers } = observation;
  const isRepeated = desired.latest !== undefined && sameServers(desired.latest, servers);
  return {
    ...desired,
    latest: servers,
    failedProbe: isRepeated ? desired.failedProbe : [],
    settling: settle(desired.settling, servers, nowMs),
    agreement: countPoll(desired.agreement, via, servers),
  };
}

/** What to do about the latest list now: settle first, then the loss guard. */
export function decideDesired(desired: DesiredServers, nowMs: number): DesiredDecision {
  const decision = settleDecision(desired.settling, nowMs);
  if (decision.kind !== 'settled') return decision;
  const { agreement, failedProbe, lastKnown } = desired;
  const current = desired.settling.applied ?? lastKnown;
  const loss = lossDecision({ current, candidate: decision.value, agreement, failedProbe });
  return loss.kind === 'apply' ? { kind: 'apply', servers: decision.value } : loss;
}

/** Records that this list is served. A list observed since then is a pending change, even if it equals the previous one. */
export function recordApplied(
  desired: DesiredServers,
  servers: readonly ApiServer[],
  nowMs: number,
): DesiredServers {
  const served = markApplied(desired.settling, servers);
  const settling = desired.latest === undefined ? served : settle(served, desired.latest, nowMs);
  return { ...desired, settling, failedProbe: [] };
}
