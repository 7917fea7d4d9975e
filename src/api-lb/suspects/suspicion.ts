import type { ProbeDepth, ProbeResult } from '../../engine/system/network/probe-tcp.ts';
import type { ServerCounters } from './server-counters.ts';

/**
 * Why a server is probed: connection attempts failed; it received connections but sent no data back; or this node has a
 * new address, which may be the VIP of a failed holder.
 */
type Suspicion = 'failed-attempts' | 'no-answer' | 'new-address';

export interface Suspect {
  readonly server: ServerCounters;
  readonly suspicion: Suspicion;
}

interface ObservedServer {
  readonly counters: ServerCounters;
  readonly unansweredSince?: number;
}

/** The servers of the previous poll, by name. */
export type Observed = ReadonlyMap<string, ObservedServer>;

/** Most connections end with an answer in less time. A longer one justifies a probe. */
const NO_ANSWER_MS = 400;

/**
 * Compares a poll with the previous one. Counts from before the first poll raise no suspicion. A server that sent no
 * data is suspected once for the connections it has so far, because connections of a quiet cluster last for hours.
 */
export function suspectsOf(
  previous: Observed,
  servers: readonly ServerCounters[],
  now: { readonly at: number; readonly hasNewAddress: boolean },
): { readonly observed: Observed; readonly suspects: readonly Suspect[] } {
  const observed = new Map<string, ObservedServer>();
  const suspects: Suspect[] = [];
  for (const server of servers) {
    const before = previous.get(server.name);
    const unansweredSince = unanswered(before, server, now.at);
    const suspicion = server.isUp ? suspicionOf(before, server, unansweredSince, now) : undefined;
    if (suspicion !== undefined) suspects.push({ server, suspicion });
    const waits = unansweredSince !== undefined && suspicion !== 'no-answer';
    observed.set(server.name, { counters: server, ...(waits && { unansweredSince }) });
  }
  return { observed, suspects };
}

function suspicionOf(
  before: ObservedServer | undefined,
  server: ServerCounters,
  unansweredSince: number | undefined,
  now: { readonly at: number; readonly hasNewAddress: boolean },
): Suspicion | undefined {
  if (now.hasNewAddress) return 'new-address';
  if (before !== undefined && server.failedAttempts > before.counters.failedAttempts)
    return 'failed-attempts';
  return unansweredSince !== undefined && now.at - unansweredSince >= NO_ANSWER_MS ? 'no-answer' : undefined;
}

/** Since when the server has connections and has sent no data; undefined if that is not the case. */
function unanswered(
  before: ObservedServer | undefined,
  { chosen, bytesFromServer }: ServerCounters,
  now: number,
): number | undefined {
  if (before === undefined || bytesFromServer !== before.counters.bytesFromServer) return undefined;
  return before.unansweredSince ?? (chosen > before.counters.chosen ? now : undefined);
}

/** The kernel accepts connections for a hung process, so only the suspicion `no-answer` requires an answer from the process. */
export function depthOf(suspicion: Suspicion): ProbeDepth {
  return suspicion === 'no-answer' ? 'answer' : 'connect';
}

/** The verdict on a probed suspect. `no-witness`: no other server answered. `gone`: the suspect is no longer up. */
export type Verdict = 'set-aside' | 'answered' | 'no-witness' | 'gone';

export interface Round {
  /** By server name. */
  readonly results: ReadonlyMap<string, ProbeResult>;
  /** The servers that are up after the probes: health checks continue meanwhile. */
  readonly up: readonly ServerCounters[];
  readonly ownAddresses: ReadonlySet<string>;
}

/**
 * Decides whether a suspect that did not answer is set aside. This requires a witness: a server of the same backend that answered and is still up.
 * Without a witness this node's network may be at fault, and the health checks decide. For a silent suspect the witness must be on another node,
 * because a connection to this node's own server proves only that processes are scheduled; that suffices if the suspect's kernel answered.
 * A suspect that refuses connections is set aside as well: nothing listens, and a restarting program listens before it is ready.
 */
export function verdictOf(suspect: ServerCounters, { results, up, ownAddresses }: Round): Verdict {
  const result = results.get(suspect.name);
  if (result === 'answers') return 'answered';
  if (!up.some(({ name }) => name === suspect.name)) return 'gone';
  const isWitness = (server: ServerCounters): boolean =>
    results.get(server.name) === 'answers' &&
    isSameBackend(suspect, server) &&
    (result !== 'silent' || !ownAddresses.has(server.address.host));
  return up.some(isWitness) ? 'set-aside' : 'no-witness';
}

/** Whether both servers are in the same backend, which is the part of the name before the slash. */
export function isSameBackend(one: ServerCounters, other: ServerCounters): boolean {
  return one.name.split('/')[0] === other.name.split('/')[0];
}
