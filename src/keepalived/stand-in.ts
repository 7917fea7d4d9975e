import type { ParticipationNote } from './participation-note.ts';
import { TRACK, withoutBonus } from './track-value.ts';

/**
 * How long a node without a node list stays in FAULT, whether its monitor waits for a list or is not running. After a boot
 * keepalived itself writes FAULT, and a node must not compete with an old configuration while its monitor starts.
 */
export const NODE_LIST_PATIENCE_MS = 10_000;

/**
 * The track value that a supervisor writes for a silent monitor. `last` is the monitor's last value. A node that is out, or
 * that still has to wait, stays in FAULT: another node holds the VIP and may not hear it. Otherwise the value stays while
 * `healthy`, and is demoted if not. It is never above `last`, except that a FAULT for another reason ends. `nowMs` is monotonic, as
 * `until` of the note is.
 */
export function standIn(
  noted: Pick<ParticipationNote, 'state' | 'until'> | undefined,
  last: number,
  seen: { readonly holder: boolean; readonly healthy: boolean; readonly nowMs: number },
): number {
  const { holder, healthy, nowMs } = seen;
  if (noted?.state === 'out') return TRACK.fault;
  if (noted?.state === 'waiting' && (noted.until === null || nowMs < noted.until)) return TRACK.fault;
  return healthy ? unwatchedTrackValue(last, holder) : silentTrackValue(last, holder);
}

/**
 * What stands in for a value that its monitor has stopped refreshing. It never outranks a healthy node and is never above
 * `last`, except that FAULT ends: a node whose health is unknown is still better than no holder at all. Where every monitor
 * is silent the holder stays the highest, and nothing moves.
 */
export function silentTrackValue(last: number, holder: boolean): number {
  if (last >= TRACK.doubtful) return holder ? TRACK.doubtfulHolder : TRACK.doubtful;
  return holder ? TRACK.degradedHolder : TRACK.degraded;
}

/**
 * The value of a node whose monitor is silent while its server still answers: the last one, with a holder's bonus where
 * the VIP is now. A claim to the VIP ends with its monitor. FAULT had another cause than a failed service, which no
 * monitor checks any more, so it ends as without an answer.
 */
function unwatchedTrackValue(last: number, holder: boolean): number {
  if (last <= TRACK.fault) return silentTrackValue(last, holder);
  return Math.min(withoutBonus(last), TRACK.healthy) + (holder ? TRACK.healthyHolder : 0);
}
