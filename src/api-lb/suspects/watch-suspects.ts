import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { probeTcp } from '../../engine/system/network/probe-tcp.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Running } from '../../haproxy/runtime/line.ts';
import type { ConnectionCounts, ServerWatch } from '../../haproxy/supervise/supervisor.ts';
import { parseServerCounters, type ServerCounters } from './server-counters.ts';
import {
  depthOf,
  isSameBackend,
  type Observed,
  type Round,
  type Suspect,
  suspectsOf,
  type Verdict,
  verdictOf,
} from './suspicion.ts';

const POLL_EVERY_MS = 200;
/** Pause after a poll. With thousands of servers, polling without a pause would cost HAProxy and this process a CPU each. */
const PAUSE_MS_PER_SERVER = 7;
/** Time until a server is probed again: one that refuses connections is suspected until its health checks mark it down. */
const PROBE_AGAIN_MS = 1_000;
/** A suspect that stays in service is logged at most once in this time. */
const LOG_AGAIN_MS = 60_000;

/**
 * Reads HAProxy's counters, five times a second for up to thirty servers, and probes suspect servers. A suspect that does not answer receives no
 * new connections until its next good check (docs/internals/decisions/0053). Sends no probes while no server is suspect.
 */
export const watchSuspects: ServerWatch = ({ program, serving, log }) => {
  const countersOf = async (running: Running): Promise<readonly ServerCounters[] | undefined> => {
    const statistics = await program.serverStatistics(running);
    return statistics === undefined ? undefined : parseServerCounters(statistics);
  };
  let observed: Observed = new Map();
  let generation = 0;
  let addresses = routedAddresses();
  let connections: ConnectionCounts = { redispatched: 0, longestConnectMs: 0 };
  const busy = new Set<string>();
  const noProbeUntilMs = new Map<string, number>();
  const noLogUntilMs = new Map<string, number>();
  let lastDecision: Promise<void> = Promise.resolve();
  let pauseUntilMs = 0;

  const poll = async (): Promise<void> => {
    const running = serving();
    const servers = running && (await countersOf(running));
    if (running === undefined || servers === undefined) return;
    pauseUntilMs = monotonicMs() + servers.length * PAUSE_MS_PER_SERVER;
    // Each generation counts from zero.
    if (running.generation !== generation) observed = new Map();
    generation = running.generation;
    connections = counted(connections, observed, servers);
    const before = addresses;
    addresses = routedAddresses();
    const hasNewAddress = [...addresses].some((address) => !before.has(address));
    const at = monotonicMs();
    const round = suspectsOf(observed, servers, { at, hasNewAddress });
    observed = round.observed;
    // A router's servers are pods, so names come and go.
    for (const ends of [noProbeUntilMs, noLogUntilMs])
      for (const [name, endMs] of ends) if (endMs <= at) ends.delete(name);
    const ready = round.suspects.filter(
      ({ server: { name } }) => !busy.has(name) && (hasNewAddress || (noProbeUntilMs.get(name) ?? 0) <= at),
    );
    if (ready.length === 0) return;
    const sameBackends = servers.filter(
      (server) => server.isUp && ready.some((suspect) => isSameBackend(suspect.server, server)),
    );
    void probe(ready, sameBackends).catch(report);
  };
  const probe = async (suspects: readonly Suspect[], servers: readonly ServerCounters[]): Promise<void> => {
    const startedAt = monotonicMs();
    const depth = suspects.some(({ suspicion }) => depthOf(suspicion) === 'answer') ? 'answer' : 'connect';
    for (const { server } of suspects) busy.add(server.name);
    try {
      // All at once: if the network recovered between two probes, the servers probed later would be false witnesses.
      const results = new Map(
        await Promise.all(
          servers.map(async ({ name, address }) => [name, await probeTcp(address, depth)] as const),
        ),
      );
      // One decision at a time: two concurrent rounds could each set aside the witness of the other.
      const decision = lastDecision.then(() => decide(suspects, results, startedAt));
      lastDecision = decision.catch(() => undefined);
      await decision;
    } finally {
      for (const { server } of suspects) {
        busy.delete(server.name);
        noProbeUntilMs.set(server.name, monotonicMs() + PROBE_AGAIN_MS);
      }
    }
  };
  const decide = async (
    suspects: readonly Suspect[],
    results: Round['results'],
    startedAt: number,
  ): Promise<void> => {
    const running = serving();
    const servers = running && (await countersOf(running));
    if (running === undefined || servers === undefined) return;
    const round = { results, up: servers.filter(({ isUp }) => isUp), ownAddresses: presentAddresses() };
    for (const suspect of suspects) {
      const verdict = verdictOf(suspect.server, round);
      const refusal =
        verdict === 'set-aside' ? await program.setAside(running, suspect.server.checkedAs) : undefined;
      logVerdict(suspect, verdict, { tookMs: monotonicMs() - startedAt, refusal });
    }
  };
  const logVerdict = (
    { server: { name, address }, suspicion }: Suspect,
    verdict: Verdict,
    { tookMs, refusal }: { readonly tookMs: number; readonly refusal: string | undefined },
  ): void => {
    const fields = { server: name, address: address.host, suspicion, tookMs: Math.round(tookMs) };
    if (refusal !== undefined)
      log({
        event: 'server-left-alone',
        level: 'warn',
        ...fields,
        verdict: 'refused',
        message: refusal,
      });
    else if (verdict === 'set-aside') log({ event: 'server-set-aside', level: 'warn', ...fields });
    // A new address or a long connection is normal if the server answers.
    else if (verdict !== 'gone' && (suspicion === 'failed-attempts' || verdict === 'no-witness')) {
      const key = `${name} ${verdict}`;
      if ((noLogUntilMs.get(key) ?? 0) > monotonicMs()) return;
      noLogUntilMs.set(key, monotonicMs() + LOG_AGAIN_MS);
      log({ event: 'server-left-alone', level: 'info', ...fields, verdict });
    }
  };

  const report = (error: unknown): void =>
    log({ event: 'internal-error', level: 'error', message: String(error) });
  let isPolling = false;
  const timer = setInterval(() => {
    if (isPolling || monotonicMs() < pauseUntilMs) return;
    isPolling = true;
    void poll()
      .catch(report)
      .finally(() => {
        isPolling = false;
      });
  }, POLL_EVERY_MS);
  return { connections: () => connections, stop: () => clearInterval(timer) };
};

/** This node's addresses without link-local ones, which appear with each new pod's interface and are never a VIP. */
function routedAddresses(): ReadonlySet<string> {
  return new Set([...presentAddresses()].filter((address) => !/^(?:fe[89ab]|169\.254\.)/.test(address)));
}

/** Adds what the servers counted since the previous poll. */
function counted(
  { redispatched }: ConnectionCounts,
  observed: Observed,
  counters: readonly ServerCounters[],
): ConnectionCounts {
  const increases = counters.map(
    (server) => server.redispatched - (observed.get(server.name)?.counters.redispatched ?? 0),
  );
  return {
    redispatched: increases.reduce((sum, each) => sum + Math.max(0, each), redispatched),
    longestConnectMs: Math.max(0, ...counters.map(({ longestConnectMs }) => longestConnectMs)),
  };
}
