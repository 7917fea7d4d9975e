import type { ProbeDepth, ProbeResult } from '../../engine/system/network/probe-tcp.ts';
import type { ServerCounters } from './server-counters.ts';

/**
 * Why a server is probed: attempts to connect to it failed; it got connections, and none has ended with an answer; or this node has a
 * new address, which may be the VIP of a holder that died.
 */
type Suspicion = 'failed-attempts' | 'no-answer' | 'new-address';

export interface Suspect {
  readonly server: ServerCounters;
  readonly suspicion: Suspicion;
}

interface KnownServer {
  readonly counters: ServerCounters;
  readonly unansweredSince?: number;
}

/** Memory of each server between two polls, by its name. */
export type Known = ReadonlyMap<string, KnownServer>;

/** Most connections end sooner than that with an answer. One that lasts justifies a probe. */
const NO_ANSWER_MS = 400;

/**
 * Compares a poll with the previous one. Counts before the first poll raise no suspicion. A server that gave no
 * answer is suspected once for the connections that it got until then: most connections of a quiet cluster last for hours.
 */
export function suspectsOf(
  known: Known,
  look: readonly ServerCounters[],
  now: { readonly at: number; readonly hasNewAddress: boolean },
): { readonly known: Known; readonly suspects: readonly Suspect[] } {
  const next = new Map<string, KnownServer>();
  const suspects: Suspect[] = [];
  for (const server of look) {
    const before = known.get(server.name);
    const unansweredSince = unanswered(before, server, now.at);
    const suspicion = server.isUp ? suspicionOf(before, server, unansweredSince, now) : undefined;
    if (suspicion !== undefined) suspects.push({ server, suspicion });
    const waits = unansweredSince !== undefined && suspicion !== 'no-answer';
    next.set(server.name, { counters: server, ...(waits && { unansweredSince }) });
  }
  return { known: next, suspects };
}

function suspicionOf(
  before: KnownServer | undefined,
  server: ServerCounters,
  unansweredSince: number | undefined,
  now: { readonly at: number; readonly hasNewAddress: boolean },
): Suspicion | undefined {
  if (now.hasNewAddress) return 'new-address';
  if (before !== undefined && server.failedAttempts > before.counters.failedAttempts)
    return 'failed-attempts';
  return unansweredSince !== undefined && now.at - unansweredSince >= NO_ANSWER_MS ? 'no-answer' : undefined;
}

function unanswered(
  before: KnownServer | undefined,
  { chosen, bytesFromServer }: ServerCounters,
  now: number,
): number | undefined {
  if (before === undefined || bytesFromServer !== before.counters.bytesFromServer) return undefined;
  return before.unansweredSince ?? (chosen > before.counters.chosen ? now : undefined);
}

/** A kernel answers for a hung process; only a silent process justifies waiting for the process. */
export function depthOf(suspicion: Suspicion): ProbeDepth {
  return suspicion === 'no-answer' ? 'answer' : 'connect';
}

/** The verdict on a suspect that was probed. Without a witness no other server answered. One that is gone is no longer up. */
export type Verdict = 'set-aside' | 'answered' | 'no-witness' | 'gone';

export interface Round {
  /** By server name. */
  readonly found: ReadonlyMap<string, ProbeResult>;
  /** The servers that are up after the probes: health checks continue meanwhile. */
  readonly up: readonly ServerCounters[];
  readonly ownAddresses: ReadonlySet<string>;
}

/**
 * A suspect without an answer is set aside only if a server of the same backend answered that is still up: otherwise the trouble may be
 * this node's own, and the health checks decide as usual. For a silent suspect the witness must be reached over the network as well. A
 * connection to this node itself shows only that processes are scheduled, which is enough if the suspect's kernel answered.
 * One that refuses a connection is set aside too: nothing listens, and a restarting program listens before it is ready.
 */
export function verdictOf(suspect: ServerCounters, { found, up, ownAddresses }: Round): Verdict {
  const result = found.get(suspect.name);
  if (result === 'answers') return 'answered';
  if (!up.some(({ name }) => name === suspect.name)) return 'gone';
  const isWitness = (server: ServerCounters): boolean =>
    found.get(server.name) === 'answers' &&
    isBesides(suspect, server) &&
    (result !== 'silent' || !ownAddresses.has(server.address.host));
  return up.some(isWitness) ? 'set-aside' : 'no-witness';
}

/** Whether both are in one backend, the part of the name before the slash. */
export function isBesides(one: ServerCounters, other: ServerCounters): boolean {
  return one.name.split('/')[0] === other.name.split('/')[0];
}
