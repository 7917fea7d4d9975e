import type { ParticipationNote } from './participation-note.ts';
import { TRACK, withoutBonus } from './track-value.ts';

/**
 * How long a node without a node list stays in FAULT, whether its monitor waits for a list or does not run. After a boot, keepalived's
 * `init_file` is FAULT, and a node must not compete with an old configuration while its monitor starts.
 */
export const NODE_LIST_PATIENCE_MS = 10_000;

/**
 * The track value that a supervisor writes for a silent monitor. `last` is the monitor's last value. A node that is out or must still
 * wait stays in FAULT: another node may hold the VIP, and the two may not receive each other's adverts. Otherwise the value stays while
 * `healthy`, and is lowered if not. The value never exceeds `last`, except that a FAULT for another reason ends. `nowMs` is
 * monotonic, like `until` of the note.
 */
export function standIn(
  noted: Pick<ParticipationNote, 'state' | 'until'> | undefined,
  last: number,
  observed: { readonly holder: boolean; readonly healthy: boolean; readonly nowMs: number },
): number {
  const { holder, healthy, nowMs } = observed;
  if (noted?.state === 'out') return TRACK.fault;
  if (noted?.state === 'waiting' && (noted.until === null || nowMs < noted.until)) return TRACK.fault;
  return healthy ? unwatchedTrackValue(last, holder) : silentTrackValue(last, holder);
}

/**
 * The value of a node whose monitor is silent and whose server does not answer. It never outranks a healthy node and never exceeds
 * `last`, except that FAULT ends: a node whose health is unknown is still better than no holder. If every monitor is silent, the holder
 * keeps the highest priority and no VIP moves.
 */
export function silentTrackValue(last: number, holder: boolean): number {
  if (last >= TRACK.doubtful) return holder ? TRACK.doubtfulHolder : TRACK.doubtful;
  return holder ? TRACK.degradedHolder : TRACK.degraded;
}

/**
 * The value of a node whose monitor is silent while its server still answers: the last value, with the bonus if the node is the holder
 * now. A promotion ends with the monitor. FAULT had a cause that only a monitor can check, so it ends as if the server did not answer.
 */
function unwatchedTrackValue(last: number, holder: boolean): number {
  if (last <= TRACK.fault) return silentTrackValue(last, holder);
  return Math.min(withoutBonus(last), TRACK.healthy) + (holder ? TRACK.healthyHolder : 0);
}
