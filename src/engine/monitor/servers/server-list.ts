import { isOwnFile } from '../../config/foreign-file.ts';
import { type ApiServer, sameServers } from '../../kube/api-server.ts';
import { askReadyz } from '../../kube/ask-readyz.ts';
import type { Observation } from '../../kube/control-plane/source.ts';
import { monotonicMs } from '../../system/time/monotonic-clock.ts';
import type { Observers } from '../observers.ts';
import type { NextInput } from '../proposal.ts';
import {
  type DesiredDecision,
  type DesiredServers,
  decideDesired,
  recordApplied,
  recordObserved,
  startDesired,
} from './desired-servers.ts';
import type { LastKnownList } from './last-known.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** Decides from the observations of a source which servers a monitor serves. */
export interface ServerList {
  readonly observe: (observation: Observation) => void;
  /** The last observation. */
  readonly lastObservation: () => Observation | undefined;
  /** Starts with the list of an earlier run as if it were served. Returns false if there is no such list. */
  readonly resume: () => boolean;
  /** The servers to serve now; undefined while the list is unknown. */
  readonly next: (signal: AbortSignal) => Promise<NextInput<readonly ApiServer[]>>;
  /** The last result of `next`. */
  readonly latest: () => readonly ApiServer[] | undefined;
  /** Whether the selected list comes from an earlier run. */
  readonly isFromLastRun: () => boolean;
  /** Whether the served list is the latest one from an API server: neither superseded nor from an earlier run. */
  readonly isUpToDate: () => boolean;
  /** State of the source's latest list: none in this run, settling, accepted, or held by the loss guard. */
  readonly standing: () => 'none' | 'undecided' | 'accepted' | 'held';
  /** Whether the source reaches an API server, and why a list is held back. */
  readonly view: () => { readonly apiReachable: boolean; readonly held: string | null };
  /** Records that these servers are served. Returns the age of the change in milliseconds, if there was one. */
  readonly markServed: (servers: readonly ApiServer[]) => number | undefined;
}

/** Metrics of a list of servers. */
interface ServerListMetrics {
  readonly servers: (count: number) => void;
  readonly apiReachable: (reachable: boolean) => void;
  /** Why an observed list is not applied; undefined if none is held. */
  readonly held: (reason: string | undefined) => void;
}

type Reporters = Pick<Observers, 'log' | 'once'> & {
  /** Undefined if a process has several lists: their metrics would overwrite each other. */
  readonly listMetrics?: ServerListMetrics;
};

export function createServerList(
  settings: { readonly settle: number; readonly config: string },
  { lastKnown, save }: LastKnownList,
  observers: Reporters,
  nowMs: () => number = monotonicMs,
): ServerList {
  let desired = startDesired(lastKnown, settings.settle);
  let lastObservation: Observation | undefined;
  let selected: readonly ApiServer[] | undefined;
  let held: string | null = null;

  const decide = async (signal: AbortSignal): Promise<DesiredDecision> => {
    const decision = decideDesired(desired, nowMs());
    if (decision.kind !== 'hold') return decision;
    const failedProbe = await failing(decision.probe, signal);
    // Spread only now: another list may have been observed during the probe.
    desired = { ...desired, failedProbe };
    return decideDesired(desired, nowMs());
  };
  return {
    observe: (observation) => {
      lastObservation = observation;
      logObservation(observation, observers);
      if (observation.kind === 'servers') desired = recordObserved(desired, observation, nowMs());
      else selected ??= coldStart(settings.config, lastKnown, observers);
    },
    lastObservation: () => lastObservation,
    resume: () => {
      selected ??= lastKnown;
      return lastKnown !== undefined;
    },
    next: async (signal) => {
      const decision = await decide(signal);
      logHold(decision, observers);
      held = decision.kind === 'hold' ? heldBecause(decision) : null;
      if (decision.kind === 'apply') selected = decision.servers;
      // The list changed back to the served one before another one was applied.
      if (decision.kind === 'nothing-to-do') selected = desired.settling.applied ?? selected;
      return {
        input: selected,
        recheckInMs: decision.kind === 'wait' ? decision.recheckInMs : undefined,
      };
    },
    latest: () => selected,
    view: () => ({ apiReachable: lastObservation?.kind === 'servers', held }),
    isFromLastRun: () =>
      selected !== undefined && lastKnown !== undefined && sameServers(selected, lastKnown),
    isUpToDate: () => {
      const { latest, settling } = desired;
      return latest !== undefined && settling.applied !== undefined && sameServers(latest, settling.applied);
    },
    standing: () => standingOf(desired, nowMs()),
    markServed: (servers) => {
      const { pending } = desired.settling;
      desired = recordApplied(desired, servers, nowMs());
      observers.listMetrics?.servers(servers.length);
      save(servers);
      return pending === undefined ? undefined : Math.round(nowMs() - pending.changingSinceMs);
    },
  };
}

function standingOf(desired: DesiredServers, nowMs: number): ReturnType<ServerList['standing']> {
  if (desired.latest === undefined) return 'none';
  const decision = decideDesired(desired, nowMs);
  switch (decision.kind) {
    case 'nothing-to-do':
    case 'apply':
      return 'accepted';
    case 'wait':
      return 'undecided';
    case 'hold':
      return decision.reason === 'polls-disagree' ? 'undecided' : 'held';
  }
}

/** What to serve while no API server has answered: the list of an earlier run, or a configuration without servers. */
function coldStart(
  config: string,
  lastKnown: readonly ApiServer[] | undefined,
  { log }: Reporters,
): readonly ApiServer[] | undefined {
  if (lastKnown !== undefined) {
    log({ event: 'cold-start-with-last-known', level: 'warn', servers: lastKnown.length });
    return lastKnown;
  }
  // The load balancer must answer the kubelet's probe even before the cluster's first API server exists. A configuration from an earlier run of
  // hawser is better than an empty list; any other file does not belong to this cluster.
  if (isOwnFile(config)) return undefined;
  log({ event: 'cold-start-without-servers', level: 'warn' });
  return [];
}

async function failing(servers: readonly ApiServer[], signal: AbortSignal): Promise<readonly ApiServer[]> {
  const alive = await Promise.all(
    servers.map((server) => askReadyz(server, { timeoutMs: PROBE_TIMEOUT_MS, signal })),
  );
  return servers.filter((_, index) => alive[index]?.ok === false);
}

function logObservation(observation: Observation, { log, listMetrics, once }: Reporters): void {
  listMetrics?.apiReachable(observation.kind === 'servers');
  // The source reports outages and recoveries itself.
  if (observation.kind === 'unavailable') return;
  const { via, from, servers } = observation;
  log({ event: 'servers-observed', level: 'debug', via, from, servers: servers.map(({ name }) => name) });
  const skipped = JSON.stringify(observation.skipped);
  if (observation.skipped.length === 0) once.clear('skipped');
  else if (once.isNew('skipped', skipped))
    log({ event: 'servers-skipped', level: 'warn', skipped: observation.skipped });
}

function logHold(decision: DesiredDecision, { log, listMetrics, once }: Reporters): void {
  listMetrics?.held(decision.kind === 'hold' ? decision.reason : undefined);
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
