import { type ApiServer, endpointOf, sameServers } from '../../kube/api-server.ts';

/** Number of consecutive polls that must agree before more than half of the servers may be removed at once. */
const pollsNeeded = 3;

/** A list and the number of consecutive polls that returned it. A watch event does not count, but another list in it resets the number. */
export interface PollAgreement {
  readonly servers: readonly ApiServer[];
  readonly polls: number;
}

export function countPoll(
  agreement: PollAgreement | undefined,
  via: 'watch' | 'poll',
  servers: readonly ApiServer[],
): PollAgreement {
  const agreed = agreement !== undefined && sameServers(agreement.servers, servers) ? agreement.polls : 0;
  return { servers, polls: agreed + (via === 'poll' ? 1 : 0) };
}

interface LossQuestion {
  /** The served list. Undefined or empty on a cold start, when any list is better than none. */
  readonly current: readonly ApiServer[] | undefined;
  readonly candidate: readonly ApiServer[];
  readonly agreement: PollAgreement | undefined;
  /** Servers whose latest `/readyz` probe failed. */
  readonly failedProbe: readonly ApiServer[];
}

export type LossDecision =
  | { readonly kind: 'apply' }
  | {
      readonly kind: 'hold';
      readonly reason: 'empty-list' | 'polls-disagree' | 'missing-servers-still-answer';
      /** The servers that the candidate would remove. Probe them before the next decision. */
      readonly probe: readonly ApiServer[];
    };

/**
 * Whether a settled list may be applied. If the API returns too few servers (empty cache, lost label, wrong kubeconfig), the load balancer must not
 * go down with it. An empty list is never applied. A list that removes more than half of the servers is applied only after three consecutive polls
 * agree and every removed server failed its probe. A renamed server is not a removed one.
 */
export function lossDecision(question: LossQuestion): LossDecision {
  const { current = [], candidate, agreement } = question;
  const lost = lostServers(current, candidate);
  if (candidate.length === 0) return { kind: 'hold', reason: 'empty-list', probe: lost };
  if (lost.length * 2 <= current.length) return { kind: 'apply' };
  const agreed =
    agreement !== undefined && sameServers(agreement.servers, candidate) && agreement.polls >= pollsNeeded;
  if (!agreed) return { kind: 'hold', reason: 'polls-disagree', probe: lost };
  return lostServers(lost, question.failedProbe).length === 0
    ? { kind: 'apply' }
    : { kind: 'hold', reason: 'missing-servers-still-answer', probe: lost };
}

/** The servers of `before` whose address and port are not in `after`. */
export function lostServers(before: readonly ApiServer[], after: readonly ApiServer[]): readonly ApiServer[] {
  const kept = new Set(after.map(endpointOf));
  return before.filter((server) => !kept.has(endpointOf(server)));
}
