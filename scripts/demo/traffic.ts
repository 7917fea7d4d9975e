import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { type DemoProcess, startProcess } from './child-process.ts';
import { network, programs } from './layout.ts';
import { parseRequestResult, type RequestResult } from './request-result.ts';
import { addVerdict, type Counts, type Harm, noCounts, verdictOf } from './tally.ts';

export const REQUESTS_PER_SECOND = 40;
const RECENT_MS = 5_000;

/** The client, and what became of its requests. */
export interface Traffic {
  readonly counts: () => Counts;
  /** Answers of the last five seconds by server, and the slowest of them in milliseconds. */
  readonly recent: () => { readonly servers: ReadonlyMap<string, number>; readonly slowestMs: number };
  /** Runs `kill` and counts the requests that die of it as cut. What it resolves with ends the time of harm. */
  readonly harm: <T>(what: Pick<Harm, 'kind' | 'name'>, kill: () => Promise<T>) => Promise<T>;
  readonly stop: () => Promise<void>;
}

/** `onLost` hears about each lost request, in words. */
export function startTraffic(
  prefix: readonly string[],
  caFile: string,
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
  const { vip, apiPort } = network;
  const args = [programs.load, vip, String(apiPort), caFile, String(REQUESTS_PER_SECOND)];
  const client: DemoProcess = startProcess([...prefix, process.execPath, ...args], take);
  return {
    counts: () => counts,
    recent: () => summarise(recent.filter(isRecent)),
    harm: async (what, kill) => {
      // Written down before the signal: a request may be reported dead before we are told that the kill is done.
      const index = harms.push({ ...what, fromMs: monotonicMs(), untilMs: undefined }) - 1;
      const value = await kill();
      const open = harms[index];
      if (open !== undefined) harms[index] = { ...open, untilMs: monotonicMs() };
      return value;
    },
    stop: () => client.stop(500),
  };
}

function describeLoss({ failure, server, startedAtMs, endedAtMs }: RequestResult): string {
  return `lost a request: ${failure} after ${Math.round(endedAtMs - startedAtMs)} ms, ${server ?? 'no server'}`;
}

function isRecent(result: RequestResult): boolean {
  return result.endedAtMs > monotonicMs() - RECENT_MS;
}

function summarise(results: readonly RequestResult[]) {
  const servers = new Map<string, number>();
  let slowestMs = 0;
  for (const { server, failure, startedAtMs, endedAtMs, heldMs } of results) {
    if (failure !== undefined || server === undefined) continue;
    servers.set(server, (servers.get(server) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, endedAtMs - startedAtMs - heldMs);
  }
  return { servers, slowestMs };
}
