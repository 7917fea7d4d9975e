import type { ProbeDepth } from '../../engine/system/network/probe-tcp.ts';
import type { ServerCounters } from '../server-counters.ts';

/**
 * Why a server is probed: attempts to connect to it failed; it got connections, and none has ended with an answer; or this node has a
 * new address, which may be the VIP of a holder that died.
 */
export type Suspicion = 'failed-attempts' | 'no-answer' | 'new-address';

export interface Suspect {
  readonly server: ServerCounters;
  readonly suspicion: Suspicion;
}

/** What is remembered of each server between two looks, by its name. */
export type Known = ReadonlyMap<
  string,
  { readonly counters: ServerCounters; readonly unansweredSince?: number }
>;

/** Most connections end sooner than that with an answer. One that lasts is worth a probe. */
const NO_ANSWER_MS = 400;

/** Compares a look with the one before. A server that is seen for the first time is under no suspicion. */
export function suspectsOf(
  known: Known,
  look: readonly ServerCounters[],
  now: { readonly at: number; readonly hasNewAddress: boolean },
): { readonly known: Known; readonly suspects: readonly Suspect[] } {
  const next = new Map(
    look.map((counters) => {
      const unansweredSince = unanswered(known.get(counters.name), counters, now.at);
      return [
        counters.name,
        { counters, ...(unansweredSince !== undefined && { unansweredSince }) },
      ] as const;
    }),
  );
  const suspects = look.flatMap((server): readonly Suspect[] => {
    const before = known.get(server.name)?.counters;
    if (!server.isUp || before === undefined) return [];
    const since = next.get(server.name)?.unansweredSince;
    if (now.hasNewAddress) return [{ server, suspicion: 'new-address' }];
    if (server.failedAttempts > before.failedAttempts) return [{ server, suspicion: 'failed-attempts' }];
    if (since !== undefined && now.at - since >= NO_ANSWER_MS) return [{ server, suspicion: 'no-answer' }];
    return [];
  });
  return { known: next, suspects };
}

function unanswered(
  before: { readonly counters: ServerCounters; readonly unansweredSince?: number } | undefined,
  { chosen, bytesFromServer }: ServerCounters,
  now: number,
): number | undefined {
  if (before === undefined || bytesFromServer !== before.counters.bytesFromServer) return undefined;
  return before.unansweredSince ?? (chosen > before.counters.chosen ? now : undefined);
}

/** A kernel answers for a process that hangs; only a silent process makes it worth waiting for the process. */
export function depthOf(suspicion: Suspicion): ProbeDepth {
  return suspicion === 'no-answer' ? 'answer' : 'connect';
}

/** What becomes of a suspect that was probed. Without a witness no other server answered. */
export type Verdict = 'set-aside' | 'answered' | 'no-witness';

/**
 * A probe without an answer counts only where another server answered, one that is reached over the network as well: else
 * the trouble may be this node's own, and the checks decide as ever.
 */
export function verdictOf(
  depth: ProbeDepth,
  round: {
    readonly answers: boolean;
    /** Of all other servers that are up, those that answered. */
    readonly witnesses: readonly ServerCounters[];
    readonly ownAddresses: ReadonlySet<string>;
  },
): Verdict {
  if (round.answers) return 'answered';
  // A connection to this node itself shows nothing of the network, but that other processes get their turn.
  const counts = ({ address }: ServerCounters): boolean =>
    depth === 'answer' || !round.ownAddresses.has(address.host);
  return round.witnesses.some(counts) ? 'set-aside' : 'no-witness';
}
