import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { probeTcp } from '../../engine/system/network/probe-tcp.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Running } from '../../haproxy/runtime/line.ts';
import type { ConnectionCounts, ServerWatch } from '../../haproxy/supervise/supervisor.ts';
import { parseServerCounters, type ServerCounters } from './server-counters.ts';
import {
  depthOf,
  isBesides,
  type Known,
  type Round,
  type Suspect,
  suspectsOf,
  type Verdict,
  verdictOf,
} from './suspicion.ts';

const LOOK_EVERY_MS = 200;
/** After a poll of many servers: for thousands, polling without a pause would cost HAProxy and this process a CPU each. */
const REST_MS_PER_SERVER = 7;
/** After a probe without a result: a server that refuses connections is suspected until its checks mark it down. */
const QUIET_MS = 1_000;
/** A suspect that stays in service is logged once in this time. */
const QUIET_FOR_MS = 60_000;

/**
 * Reads HAProxy's counters, five times a second for up to thirty servers, probes suspect servers, and keeps new connections away
 * from those that answer nothing, until their next good check (docs/internals/decisions/0053). Sends nothing while none is suspect.
 */
export const watchSuspects: ServerWatch = ({ program, serving, log }) => {
  const countersOf = async (running: Running): Promise<readonly ServerCounters[] | undefined> => {
    const statistics = await program.serverStatistics(running);
    return statistics === undefined ? undefined : parseServerCounters(statistics);
  };
  let known: Known = new Map();
  let generation = 0;
  let addresses = routedAddresses();
  let connections: ConnectionCounts = { redispatched: 0, longestConnectMs: 0 };
  const busy = new Set<string>();
  const quietUntil = new Map<string, number>();
  const quietUntilMs = new Map<string, number>();
  let turn: Promise<void> = Promise.resolve();
  let restUntil = 0;

  const look = async (): Promise<void> => {
    const running = serving();
    const servers = running && (await countersOf(running));
    if (running === undefined || servers === undefined) return;
    restUntil = monotonicMs() + servers.length * REST_MS_PER_SERVER;
    // Each generation counts from zero.
    if (running.generation !== generation) known = new Map();
    generation = running.generation;
    connections = counted(connections, known, servers);
    const before = addresses;
    addresses = routedAddresses();
    const hasNewAddress = [...addresses].some((address) => !before.has(address));
    const at = monotonicMs();
    const round = suspectsOf(known, servers, { at, hasNewAddress });
    known = round.known;
    const ready = round.suspects.filter(
      ({ server: { name } }) => !busy.has(name) && (hasNewAddress || (quietUntil.get(name) ?? 0) <= at),
    );
    if (ready.length === 0) return;
    const sameBackends = servers.filter(
      (server) => server.isUp && ready.some((suspect) => isBesides(suspect.server, server)),
    );
    void probe(ready, sameBackends).catch(report);
  };
  const probe = async (suspects: readonly Suspect[], servers: readonly ServerCounters[]): Promise<void> => {
    const startedAt = monotonicMs();
    const depth = suspects.some(({ suspicion }) => depthOf(suspicion) === 'answer') ? 'answer' : 'connect';
    for (const { server } of suspects) busy.add(server.name);
    try {
      // All at once: a network that recovers in between would turn the servers probed later into witnesses.
      const found = new Map(
        await Promise.all(
          servers.map(async ({ name, address }) => [name, await probeTcp(address, depth)] as const),
        ),
      );
      // One after the other: two rounds at once could each set aside the witness of the other.
      const decided = turn.then(() => decide(suspects, found, startedAt));
      turn = decided.catch(() => undefined);
      await decided;
    } finally {
      for (const { server } of suspects) {
        busy.delete(server.name);
        quietUntil.set(server.name, monotonicMs() + QUIET_MS);
      }
    }
  };
  const decide = async (
    suspects: readonly Suspect[],
    found: Round['found'],
    startedAt: number,
  ): Promise<void> => {
    const running = serving();
    const servers = running && (await countersOf(running));
    if (running === undefined || servers === undefined) return;
    const round = { found, up: servers.filter(({ isUp }) => isUp), ownAddresses: presentAddresses() };
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
    // A new address and a lasting connection are no trouble if the server answers.
    else if (verdict !== 'gone' && (suspicion === 'failed-attempts' || verdict === 'no-witness')) {
      const key = `${name} ${verdict}`;
      if ((quietUntilMs.get(key) ?? 0) > monotonicMs()) return;
      quietUntilMs.set(key, monotonicMs() + QUIET_FOR_MS);
      log({ event: 'server-left-alone', level: 'info', ...fields, verdict });
    }
  };

  const report = (error: unknown): void =>
    log({ event: 'internal-error', level: 'error', message: String(error) });
  let looking = false;
  const timer = setInterval(() => {
    if (looking || monotonicMs() < restUntil) return;
    looking = true;
    void look()
      .catch(report)
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);
  return { connections: () => connections, stop: () => clearInterval(timer) };
};

/** A pod's interface has its own address as soon as it exists, which is never a VIP. */
function routedAddresses(): ReadonlySet<string> {
  return new Set([...presentAddresses()].filter((address) => !/^(?:fe[89ab]|169\.254\.)/.test(address)));
}

function counted(
  { redispatched }: ConnectionCounts,
  known: Known,
  counters: readonly ServerCounters[],
): ConnectionCounts {
  const more = counters.map(
    (server) => server.redispatched - (known.get(server.name)?.counters.redispatched ?? 0),
  );
  return {
    redispatched: more.reduce((sum, each) => sum + Math.max(0, each), redispatched),
    longestConnectMs: Math.max(0, ...counters.map(({ longestConnectMs }) => longestConnectMs)),
  };
}
