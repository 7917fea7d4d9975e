import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { type DemoProcess, startProcess } from './child-process.ts';
import { programs } from './layout.ts';
import type { Target } from './load-plan.ts';
import { parseRequestResult, type RequestResult } from './request-result.ts';
import { addVerdict, type Counts, type Harm, noCounts, verdictOf } from './tally.ts';

export const REQUESTS_PER_SECOND = 40;
const RECENT_MS = 5_000;

/** The answers in the last five seconds. */
export interface Recent {
  /** The number of answers from each server. */
  readonly servers: ReadonlyMap<string, number>;
  /** The same for each target. */
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly slowestMs: number;
}

/** The client and the results of its requests. */
export interface Traffic {
  readonly counts: () => Counts;
  readonly recent: () => Recent;
  /** Runs `kill` and counts requests that fail because of it as cut. The harm ends when `kill` resolves. */
  readonly harm: <T>(what: Pick<Harm, 'kind' | 'name'>, kill: () => Promise<T>) => Promise<T>;
  readonly stop: () => Promise<void>;
}

/** `onLost` gets a description of each lost request. */
export function startTraffic(
  prefix: readonly string[],
  to: { readonly targets: readonly Target[]; readonly caFile: string },
  onLost: (what: string) => void,
): Traffic {
  let counts = noCounts;
  let recent: RequestResult[] = [];
  const harms: Harm[] = [];
  const take = (line: string): void => {
    const result = parseRequestResult(line);
    if (result === undefined) {
      onLost(`the client says: ${line}`);
      return;
    }
    const verdict = verdictOf(result, harms);
    counts = addVerdict(counts, verdict);
    recent = [...recent.filter(isRecent), result];
    if (verdict === 'lost') onLost(describeLoss(result));
  };
  const plan = JSON.stringify({ ...to, perSecond: REQUESTS_PER_SECOND });
  const client: DemoProcess = startProcess([...prefix, process.execPath, programs.load, plan], take);
  return {
    counts: () => counts,
    recent: () => summarise(recent.filter(isRecent)),
    harm: async (what, kill) => {
      // Recorded before the signal, because a request may fail before the kill returns.
      const index = harms.push({ ...what, fromMs: monotonicMs(), untilMs: undefined }) - 1;
      const value = await kill();
      const open = harms[index];
      if (open !== undefined) harms[index] = { ...open, untilMs: monotonicMs() };
      return value;
    },
    stop: () => client.stop(500),
  };
}

function describeLoss({ target, failure, server, startedAtMs, endedAtMs }: RequestResult): string {
  return `lost a request to ${target}: ${failure} after ${Math.round(endedAtMs - startedAtMs)} ms, ${server ?? 'no server'}`;
}

function isRecent(result: RequestResult): boolean {
  return result.endedAtMs > monotonicMs() - RECENT_MS;
}

function summarise(results: readonly RequestResult[]): Recent {
  const servers = new Map<string, number>();
  const targets = new Map<string, Map<string, number>>();
  let slowestMs = 0;
  for (const { target, server, failure, startedAtMs, endedAtMs, heldMs } of results) {
    if (failure !== undefined || server === undefined) continue;
    const ofTarget = targets.get(target) ?? new Map<string, number>();
    targets.set(target, ofTarget);
    for (const counts of [servers, ofTarget]) counts.set(server, (counts.get(server) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, endedAtMs - startedAtMs - heldMs);
  }
  return { servers, targets, slowestMs };
}
