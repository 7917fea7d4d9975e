import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Participation } from '../../keepalived/participation-note.ts';
import { readTrackValue } from '../../keepalived/track-file.ts';
import { type Addend, TRACK } from '../../keepalived/track-value.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import { baseAddend, prioritySum } from '../group/vrrp-priority.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import type { CheckRow } from './health-verdict.ts';

export type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** What a health loop knows about the VIPs of its kind. */
export interface HealthView {
  readonly holder: boolean;
  readonly addends: readonly Addend[];
  readonly checks: readonly CheckRow[];
  /** The monitor has written the track file itself, so the value is not from an earlier monitor or from keepalived. */
  readonly hasSpoken: boolean;
  readonly trackFile: string;
  readonly participation: Participation;
  /** What an operator has ordered. */
  readonly order: string | null;
}

/** This node's priority for the VIPs of one kind. `health` is undefined without a health loop. */
export function priorityOf(
  kind: VipKind,
  vips: readonly string[],
  model: KeepalivedModel | undefined,
  health: HealthView | undefined,
  holds: boolean,
): VipPriority {
  const track = health === undefined ? [] : health.hasSpoken ? health.addends : found(health.trackFile);
  const instance = model?.instances.find((each) => each.kind === kind);
  const sum =
    model === undefined || instance === undefined
      ? { priorityTerms: health?.participation.state === 'in' ? [] : track, priority: 0 }
      : prioritySum(
          baseAddend(
            instance.priority,
            instance.peers.map(({ priority }) => priority),
          ),
          track,
        );
  return {
    kind,
    vips: [...vips],
    value: health?.hasSpoken === true ? track.reduce((total, { points }) => total + points, 0) : null,
    holder: health?.holder ?? holds,
    checks: [...(health?.checks ?? [])],
    priorityTerms: [...sum.priorityTerms],
    priority: sum.priority,
    participation: participationView(health?.participation),
    order: health?.order ?? null,
  };
}

function participationView(decided: Participation | undefined): VipPriority['participation'] {
  if (decided === undefined || decided.state === 'in') return { state: 'in', reason: null, untilMs: null };
  const leftMs = decided.state === 'waiting' ? decided.until - monotonicMs() : Number.POSITIVE_INFINITY;
  const untilMs = Number.isFinite(leftMs) ? Math.round(leftMs) : null;
  return { state: decided.state, reason: decided.reason, untilMs };
}

function found(trackFile: string): readonly Addend[] {
  const points = readTrackValue(trackFile);
  const why = points <= TRACK.fault ? 'no health reported yet' : 'value left by the previous monitor';
  return [{ points, why }];
}
