import { setTimeout as pause } from 'node:timers/promises';
import type { ServerRow } from '../../haproxy/server-rows.ts';
import { askStatistics } from '../../haproxy/statistics.ts';
import { serverTransitions } from '../../model/server-transitions.ts';
import type { Observers } from './observers.ts';

const LOOK_EVERY_MS = 1_000;
const PATIENCE_MS = 900;
/** A reload and a worker's restart are shorter. What was true before them stays until then. */
const SILENT_LOOKS_TO_FORGET = 5;

/**
 * Follows what HAProxy says of its servers, until `signal` aborts: HAProxy's own log is gone with its container, and says
 * nothing of why a client was sent where. A HAProxy that does not answer has no servers to tell of after a few seconds.
 */
export async function watchServers(
  { statPort }: { readonly statPort: number },
  { log, metrics }: Observers,
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
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
