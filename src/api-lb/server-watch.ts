import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import { askStatistics, type ServerRow } from './server-rows.ts';

const POLL_EVERY_MS = 1_000;
const POLL_TIMEOUT_MS = 900;
/** Longer than a reload or a worker's restart. Until then the last observed states apply. */
const FAILED_POLLS_TO_FORGET = 5;

/**
 * Logs state changes of HAProxy's servers and sets their metric, until `signal` aborts. HAProxy's own log is lost with its container.
 * After `FAILED_POLLS_TO_FORGET` polls without an answer the metric has no servers.
 */
export async function watchServers(
  { statPort }: { readonly statPort: number },
  { log, metrics }: HaproxyMonitorObservers,
  signal: AbortSignal,
): Promise<void> {
  let servers: readonly ServerRow[] = [];
  let failedPolls = 0;
  while (!signal.aborted) {
    const answer = await askStatistics(statPort, { timeoutMs: POLL_TIMEOUT_MS, signal });
    if (answer.kind === 'servers') {
      failedPolls = 0;
      for (const transition of serverTransitions(servers, answer.servers))
        log({
          event: 'server-transition',
          level: transition.to === 'down' ? 'warn' : 'info',
          ...transition,
        });
      servers = answer.servers;
      metrics.serversUp(servers.map(({ name, state }) => [name, state === 'up']));
    } else if (!signal.aborted) {
      failedPolls += 1;
      if (failedPolls >= FAILED_POLLS_TO_FORGET) metrics.serversUp([]);
    }
    await sleep(POLL_EVERY_MS, signal);
  }
}

interface ServerTransition {
  readonly server: string;
  readonly address: string;
  /** Undefined for a new server. */
  readonly from: string | undefined;
  readonly to: string;
  readonly check: string;
}

type ServerState = Pick<ServerRow, 'name' | 'address' | 'state' | 'check'>;

/**
 * Returns each server's state change since the previous poll. A new server is reported only if it is neither up nor rising: a rising server
 * passes its checks, so the last check's message would contradict `down`. Removed servers are logged as `servers-changed`.
 */
export function serverTransitions(
  before: readonly ServerState[],
  now: readonly ServerState[],
): readonly ServerTransition[] {
  return now.flatMap(({ name, address, state, check }) => {
    const previous = before.find((server) => server.name === name);
    const isRising = state === 'down' && PASSED.test(check);
    if (previous === undefined ? state === 'up' || isRising : previous.state === state) return [];
    return [{ server: name, address, from: previous?.state, to: state, check }];
  });
}

/** HAProxy's codes for a check that passed. A leading `* ` means that the next check is in progress. */
const PASSED = /^(?:\* )?L[467]OK/;
