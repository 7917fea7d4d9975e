import type { Socket } from 'node:net';
import { monotonicMs } from '../../../src/system/monotonic-clock.ts';
import { askOnce } from './ask-once.ts';
import type { LoadEvent, LoadPlan, LoadSummary, LossReason } from './load-events.ts';

const SLOW_MS = 500;
const TICK_MS = 2;

type Counts = Pick<
  LoadSummary,
  'connections' | 'ok' | 'lost' | 'slow' | 'slowestMs' | 'latestStartMs' | 'servers'
>;

/**
 * New connections at a fixed rate, begun when they are due whatever became of the earlier ones (open loop): a load
 * balancer that stalls meets a queue, as it would with real clients. Returns its counts when `signal` aborts.
 */
export function runConnections(
  plan: LoadPlan,
  emit: (event: LoadEvent) => void,
  signal: AbortSignal,
): Promise<Counts> {
  const counts = {
    connections: 0,
    ok: 0,
    lost: {} as Partial<Record<LossReason, number>>,
    slow: 0,
    slowestMs: 0,
    latestStartMs: 0,
    servers: {} as Record<string, number>,
  };
  const pending = new Map<Socket, number>();
  const timedOut = new Set<Socket>();
  let lastLossStartedAtMs: number | undefined;

  const lose = (startedAtMs: number, reason: LossReason) => {
    counts.lost[reason] = (counts.lost[reason] ?? 0) + 1;
    lastLossStartedAtMs = Math.max(lastLossStartedAtMs ?? 0, startedAtMs);
    emit({ kind: 'lost', startedAtMs, atMs: monotonicMs(), reason });
  };
  const win = (startedAtMs: number, server: string) => {
    const atMs = monotonicMs();
    counts.ok += 1;
    counts.servers[server] = (counts.servers[server] ?? 0) + 1;
    counts.slowestMs = Math.max(counts.slowestMs, atMs - startedAtMs);
    if (atMs - startedAtMs > SLOW_MS) counts.slow += 1;
    if (lastLossStartedAtMs === undefined || startedAtMs <= lastLossStartedAtMs) return;
    lastLossStartedAtMs = undefined;
    emit({ kind: 'ok-again', startedAtMs, atMs });
  };
  const start = () => {
    const startedAtMs = monotonicMs();
    counts.connections += 1;
    const socket = askOnce(plan, '/load', (outcome) => {
      pending.delete(socket);
      if (signal.aborted) return;
      if (timedOut.has(socket)) return lose(startedAtMs, 'timeout');
      if (outcome.kind === 'failed') return lose(startedAtMs, outcome.reason);
      const server = outcome.body.trim();
      return plan.servers.includes(server) ? win(startedAtMs, server) : lose(startedAtMs, 'wrong');
    });
    pending.set(socket, startedAtMs);
  };

  const beganAtMs = monotonicMs();
  const dueBy = (atMs: number) => Math.floor(((atMs - beganAtMs) * plan.ratePerSecond) / 1_000);
  const ticker = setInterval(() => {
    const now = monotonicMs();
    const oldestDueAtMs = beganAtMs + ((counts.connections + 1) * 1_000) / plan.ratePerSecond;
    if (dueBy(now) > counts.connections)
      counts.latestStartMs = Math.max(counts.latestStartMs, now - oldestDueAtMs);
    while (dueBy(now) > counts.connections) start();
    // In order of their start: the first young one ends the search.
    for (const [socket, startedAtMs] of pending) {
      if (now - startedAtMs < plan.timeoutMs) break;
      timedOut.add(socket);
      socket.destroy();
    }
  }, TICK_MS);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      clearInterval(ticker);
      for (const socket of pending.keys()) socket.destroy();
      resolve(counts);
    });
  });
}
