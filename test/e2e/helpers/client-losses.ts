import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedClient } from '../../helpers/vrrp/bed-client.ts';
import type { HoldingEvent } from '../../helpers/vrrp/holdings.ts';
import { type Cut, isCut, probesWithin } from '../../helpers/vrrp/probes.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Long enough for a retransmission on a busy machine: only a request that fails counts as lost. */
export const REQUEST_TIMEOUT_MS = 5_000;

const MOST_LISTED = 12;

/**
 * The requests that failed since `fromMs`, each as "reason, from … to … ms, cuts at …", once all have ended. Those that
 * `cuts` explain are left out; a request under way at `fromMs` may have been cut before it.
 */
export async function lostSince(
  client: BedClient,
  fromMs: number,
  cuts: readonly Cut[] = [],
): Promise<readonly string[]> {
  const toMs = monotonicMs();
  const finished = () => client.calmFor(1_000) && monotonicMs() - toMs > REQUEST_TIMEOUT_MS;
  await waitFor('every request to have ended', finished);
  const told = (atMs: number) => Math.round(atMs - fromMs);
  const cutTimes = cuts.map(({ atMs }) => told(atMs)).join(' ') || 'no time';
  const lost = probesWithin(client.probes(), fromMs, toMs)
    .filter(({ reason }) => reason !== null)
    .filter((probe) => !cuts.some((cut) => isCut(probe, cut)))
    .map(
      ({ reason, startedAtMs, endedAtMs }) =>
        `${reason}, from ${told(startedAtMs)} to ${told(endedAtMs)} ms, cuts at ${cutTimes}`,
    );
  const omitted = lost.length - MOST_LISTED;
  return omitted > 0 ? [...lost.slice(0, MOST_LISTED - 1), `${omitted} more`, ...lost.slice(-1)] : lost;
}

/** Nodes that gained or lost the VIP since `fromMs`. */
export function movesSince(events: readonly HoldingEvent[], fromMs: number): readonly HoldingEvent[] {
  return events.filter(({ atMs }) => atMs >= fromMs);
}
