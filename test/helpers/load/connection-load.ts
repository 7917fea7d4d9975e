import type { Socket } from 'node:net';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { type AskOutcome, askOnce } from './ask-once.ts';
import { type ConnectionCounts, createTally } from './connection-tally.ts';
import type { LoadEvent, LoadPlan, LoadSummary } from './load-events.ts';

const TICK_MS = 2;

type Counts = ConnectionCounts & Pick<LoadSummary, 'connections' | 'latestStartMs'>;

/**
 * New connections at a fixed rate, started when they are due regardless of the earlier ones (open loop): a load
 * balancer that stalls meets a queue, as with real clients. Returns its counts when `signal` aborts.
 */
export function runConnections(
  plan: LoadPlan,
  emit: (event: LoadEvent) => void,
  signal: AbortSignal,
): Promise<Counts> {
  const tally = createTally(plan.servers, emit);
  const asking = askInParallel(plan, (startedAtMs, outcome) => {
    if (!signal.aborted) tally.take(startedAtMs, monotonicMs(), outcome);
  });
  const dueAtMs = schedule(monotonicMs(), plan.ratePerSecond);
  let connections = 0;
  let latestStartMs = 0;
  const ticker = setInterval(() => {
    const lateMs = () => monotonicMs() - dueAtMs(connections);
    latestStartMs = Math.max(latestStartMs, lateMs());
    for (; lateMs() >= 0; connections += 1) asking.start();
    asking.giveUpOld();
  }, TICK_MS);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      clearInterval(ticker);
      asking.giveUpAll();
      resolve({ ...tally.counts(), connections, latestStartMs });
    });
  });
}

/** When the n-th connection (from 0) is due; never, at a rate of 0. */
function schedule(beganAtMs: number, ratePerSecond: number): (index: number) => number {
  return (index) => beganAtMs + ((index + 1) * 1_000) / ratePerSecond;
}

type Taker = (startedAtMs: number, outcome: AskOutcome | 'timeout') => void;

function askInParallel(plan: LoadPlan, take: Taker) {
  const pending = new Map<Socket, number>();
  const timedOut = new WeakSet<Socket>();
  return {
    start: () => {
      const startedAtMs = monotonicMs();
      const socket = askOnce(plan, '/load', (outcome) => {
        pending.delete(socket);
        take(startedAtMs, timedOut.has(socket) ? 'timeout' : outcome);
      });
      pending.set(socket, startedAtMs);
    },
    giveUpOld: () => {
      const now = monotonicMs();
      // They are in the order of their start: the first recent one ends the search.
      for (const [socket, startedAtMs] of pending) {
        if (now - startedAtMs < plan.timeoutMs) return;
        timedOut.add(socket);
        socket.destroy();
      }
    },
    giveUpAll: () => {
      for (const socket of pending.keys()) socket.destroy();
    },
  };
}
