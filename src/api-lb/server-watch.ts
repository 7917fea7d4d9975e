import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import { askStatistics, type ServerRow } from './server-rows.ts';

const LOOK_EVERY_MS = 1_000;
const PATIENCE_MS = 900;
/** Longer than a reload or a worker's restart. Until then the last states apply. */
const SILENT_LOOKS_TO_FORGET = 5;

/**
 * Logs the changes of HAProxy's servers, until `signal` aborts. HAProxy's own log is lost with its container, and does not record which server a client
 * was sent to or why. After some seconds without an answer HAProxy is treated as having no servers.
 */
export async function watchServers(
  { statPort }: { readonly statPort: number },
  { log, metrics }: HaproxyMonitorObservers,
  signal: AbortSignal,
): Promise<void> {
  let seen: readonly ServerRow[] = [];
  let silentLooks = 0;
  while (!signal.aborted) {
    const answer = await askStatistics(statPort, { timeoutMs: PATIENCE_MS, signal });
    if (answer.kind === 'servers') {
      silentLooks = 0;
      for (const transition of serverTransitions(seen, answer.servers))
        log({
          event: 'server-transition',
          level: transition.to === 'down' ? 'warn' : 'info',
          ...transition,
        });
      seen = answer.servers;
      metrics.serversUp(seen.map(({ name, state }) => [name, state === 'up']));
    } else if (!signal.aborted) {
      silentLooks += 1;
      if (silentLooks >= SILENT_LOOKS_TO_FORGET) metrics.serversUp([]);
    }
    await sleep(LOOK_EVERY_MS, signal);
  }
}

interface ServerTransition {
  readonly server: string;
  readonly address: string;
  /** Undefined before its first poll. */
  readonly from: string | undefined;
  readonly to: string;
  readonly check: string;
}

type SeenServer = Pick<ServerRow, 'name' | 'address' | 'state' | 'check'>;

/**
 * The changes of each server since the previous poll. A new server is reported only if it is not up, and not while it is still rising: its
 * checks pass, so the last check's message would contradict `down`. A removed server is reported by the code that removed it from the list.
 */
export function serverTransitions(
  before: readonly SeenServer[],
  now: readonly SeenServer[],
): readonly ServerTransition[] {
  return now.flatMap(({ name, address, state, check }) => {
    const known = before.find((server) => server.name === name);
    const isRising = state === 'down' && PASSED.test(check);
    if (known === undefined ? state === 'up' || isRising : known.state === state) return [];
    return [{ server: name, address, from: known?.state, to: state, check }];
  });
}

/** HAProxy's codes for a check that passed; a star marks one that is running again. */
const PASSED = /^(?:\* )?L[467]OK/;
