import type { AskOutcome } from './ask-once.ts';
import type { LoadEvent, LoadSummary, LossReason } from './load-events.ts';

const SLOW_MS = 500;

export type ConnectionCounts = Pick<LoadSummary, 'ok' | 'lost' | 'slow' | 'slowestMs' | 'servers'>;

export interface ConnectionTally {
  /** How one connection ended; `timeout` if the generator gave up. */
  take(startedAtMs: number, atMs: number, outcome: AskOutcome | 'timeout'): void;
  counts(): ConnectionCounts;
}

/**
 * Counts how connections ended. Emits each loss, and the first good answer to a connection that began after every lost
 * one. An answer from outside `servers` counts as lost, too.
 */
export function createTally(servers: readonly string[], emit: (event: LoadEvent) => void): ConnectionTally {
  let ok = 0;
  let slow = 0;
  let slowestMs = 0;
  const lost: Partial<Record<LossReason, number>> = {};
  const answers: Record<string, number> = {};
  let lastLossStartedAtMs: number | undefined;

  const lose = (startedAtMs: number, atMs: number, reason: LossReason) => {
    lost[reason] = (lost[reason] ?? 0) + 1;
    lastLossStartedAtMs = Math.max(lastLossStartedAtMs ?? 0, startedAtMs);
    emit({ kind: 'lost', startedAtMs, atMs, reason });
  };
  const win = (startedAtMs: number, atMs: number, server: string) => {
    ok += 1;
    answers[server] = (answers[server] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, atMs - startedAtMs);
    if (atMs - startedAtMs > SLOW_MS) slow += 1;
    if (lastLossStartedAtMs === undefined || startedAtMs <= lastLossStartedAtMs) return;
    lastLossStartedAtMs = undefined;
    emit({ kind: 'ok-again', startedAtMs, atMs });
  };
  return {
    take: (startedAtMs, atMs, outcome) => {
      if (outcome === 'timeout') return lose(startedAtMs, atMs, 'timeout');
      if (outcome.kind === 'failed') return lose(startedAtMs, atMs, outcome.reason);
      if (!servers.includes(outcome.body)) return lose(startedAtMs, atMs, 'wrong');
      return win(startedAtMs, atMs, outcome.body);
    },
    counts: () => ({ ok, lost: { ...lost }, slow, slowestMs, servers: { ...answers } }),
  };
}
