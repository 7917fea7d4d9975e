import { sleep } from '../engine/system/time/sleep.ts';
import type { HaproxyMonitorObservers } from './haproxy-monitor-metrics.ts';
import type { ServerRow } from './server-rows.ts';
import { askStatistics } from './server-rows.ts';
import { serverTransitions } from './server-transitions.ts';

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
