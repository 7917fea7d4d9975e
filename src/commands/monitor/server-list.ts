import { isOwnFile } from '../../apply/foreign-file.ts';
import { type ApiServer, sameServers } from '../../model/api-server.ts';
import {
  type DesiredDecision,
  type DesiredServers,
  decideDesired,
  recordApplied,
  recordObserved,
  startDesired,
} from '../../model/desired-servers.ts';
import { probeReadyz } from '../../sources/probe-readyz.ts';
import type { Observation } from '../../sources/source.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Wanted } from './configuration-loop.ts';
import type { Observers } from './observers.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** The list of servers that a monitor should serve, out of everything that its source observes. */
export interface ServerList {
  readonly observe: (observation: Observation) => void;
  /** The servers to serve now, undefined while nothing is known. */
  readonly next: (signal: AbortSignal) => Promise<Wanted<readonly ApiServer[]>>;
  /** The servers that `next` gave last. */
  readonly latest: () => readonly ApiServer[] | undefined;
  /** What is served is what an API server said last: neither a list of an earlier run, nor one that has been overtaken. */
  readonly isUpToDate: () => boolean;
  /**
   * What has become of the list that the source gave last: there is none in this run, it is still settled or compared, it
   * is what `next` gives, or the loss guard does not believe it.
   */
  readonly standing: () => 'none' | 'undecided' | 'believed' | 'held';
  /** What the source says at this moment, and why a list that it gave is held back. */
  readonly view: () => { readonly apiReachable: boolean; readonly held: string | null };
  /** These are served now. Returns how long ago their change was first seen, where it was one. */
  readonly markServed: (servers: readonly ApiServer[]) => number | undefined;
}

export interface LastKnownList {
  /** Of an earlier run. */
  readonly lastKnown: readonly ApiServer[] | undefined;
  readonly save: (servers: readonly ApiServer[]) => void;
}

export function createServerList(
  settings: { readonly settle: number; readonly config: string },
  { lastKnown, save }: LastKnownList,
  observers: Observers,
): ServerList {
  let desired = startDesired(lastKnown);
  let wanted: readonly ApiServer[] | undefined;
  let saved = lastKnown;
  let apiReachable = false;
  let held: string | null = null;

  const decide = async (signal: AbortSignal): Promise<DesiredDecision> => {
    const decision = decideDesired(desired, settings.settle, monotonicMs());
    if (decision.kind !== 'hold') return decision;
    desired = { ...desired, failedProbe: await failing(decision.probe, signal) };
    return decideDesired(desired, settings.settle, monotonicMs());
  };
  return {
    observe: (observation) => {
      tell(observation, observers);
      apiReachable = observation.kind === 'servers';
      if (observation.kind === 'servers') desired = recordObserved(desired, observation, monotonicMs());
      else wanted ??= coldStart(settings.config, lastKnown, observers);
    },
    next: async (signal) => {
      const decision = await decide(signal);
      tellHold(decision, observers);
      held = decision.kind === 'hold' ? heldBecause(decision) : null;
      if (decision.kind === 'apply') wanted = decision.servers;
      return {
        input: wanted,
        lookAgainInMs: decision.kind === 'wait' ? decision.lookAgainInMs : undefined,
      };
    },
    latest: () => wanted,
    view: () => ({ apiReachable, held }),
    isUpToDate: () => {
      const { latest, settling } = desired;
      return latest !== undefined && settling.applied !== undefined && sameServers(latest, settling.applied);
    },
    standing: () => standingOf(desired, settings.settle),
    markServed: (servers) => {
      const { pending } = desired.settling;
      desired = recordApplied(desired, servers, monotonicMs());
      observers.metrics.servers(servers.length);
      if (servers.length > 0 && (saved === undefined || !sameServers(saved, servers))) save(servers);
      if (servers.length > 0) saved = servers;
      return pending === undefined ? undefined : Math.round(monotonicMs() - pending.sinceMs);
    },
  };
}

function standingOf(desired: DesiredServers, settleMs: number): ReturnType<ServerList['standing']> {
  if (desired.latest === undefined) return 'none';
  const decision = decideDesired(desired, settleMs, monotonicMs());
  switch (decision.kind) {
    case 'nothing-to-do':
    case 'apply':
      return 'believed';
    case 'wait':
      return 'undecided';
    case 'hold':
      return decision.reason === 'polls-do-not-agree-yet' ? 'undecided' : 'held';
  }
}

/** No API server answers and nothing is served yet: the list of an earlier run, or a start without servers. */
function coldStart(
  config: string,
  lastKnown: readonly ApiServer[] | undefined,
  { log }: Observers,
): readonly ApiServer[] | undefined {
  if (lastKnown !== undefined) {
    log({ event: 'cold-start-with-last-known', level: 'warn', servers: lastKnown.length });
    return lastKnown;
  }
  // Before the first API server of a cluster exists, HAProxy has to run for the kubelet's probe. A configuration that
  // hawser rendered before knows more than an empty list; any other knows nothing of this cluster.
  if (isOwnFile(config)) return undefined;
  log({ event: 'cold-start-without-servers', level: 'warn' });
  return [];
}

async function failing(servers: readonly ApiServer[], signal: AbortSignal): Promise<readonly ApiServer[]> {
  const alive = await Promise.all(
    servers.map((server) => probeReadyz(server, { timeoutMs: PROBE_TIMEOUT_MS, signal })),
  );
  return servers.filter((_, index) => alive[index] === false);
}

function tell(observation: Observation, { log, metrics, once }: Observers): void {
  metrics.apiReachable(observation.kind === 'servers');
  // The source itself tells of outages and recoveries.
  if (observation.kind === 'unavailable') return;
  const { via, from, servers } = observation;
  log({ event: 'servers-observed', level: 'debug', via, from, servers: servers.map(({ name }) => name) });
  const skipped = JSON.stringify(observation.skipped);
  if (observation.skipped.length === 0) once.clear('skipped');
  else if (once.isNew('skipped', skipped))
    log({ event: 'servers-skipped', level: 'warn', skipped: observation.skipped });
}

function tellHold(decision: DesiredDecision, { log, metrics, once }: Observers): void {
  metrics.held(decision.kind === 'hold' ? decision.reason : undefined);
  if (decision.kind !== 'hold') {
    once.clear('hold');
    return;
  }
  if (!once.isNew('hold', decision.reason)) return;
  log({
    event: 'list-held',
    level: 'warn',
    reason: decision.reason,
    lost: decision.probe.map(({ name }) => name),
  });
}

function heldBecause({ reason, probe }: Extract<DesiredDecision, { kind: 'hold' }>): string {
  return probe.length === 0 ? reason : `${reason}: ${probe.map(({ name }) => name).join(', ')}`;
}
