import { readTrackValue } from '../../keepalived/track-file.ts';
import { type Addend, serverOf, TRACK } from '../../keepalived/track-value.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';
import { baseAddend, prioritySum } from '../group/vrrp-priority.ts';
import type { KeepalivedMonitorStatus } from '../settings/keepalived-monitor-status.ts';
import type { CheckRow } from './health-sightings.ts';

export type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** What a health loop knows about the VIPs of its kind. */
export interface HealthView {
  readonly holder: boolean;
  readonly addends: readonly Addend[];
  readonly checks: readonly CheckRow[];
  /** The monitor has written the track file itself, so the value is not from an earlier monitor or from keepalived. */
  readonly hasSpoken: boolean;
  readonly trackFile: string;
  /** What an operator has ordered. */
  readonly steered: string | null;
}

/** This node's priority for the VIPs of one kind. `health` is undefined if it is not measured: then it adds nothing. */
export function priorityOf(
  kind: VipKind,
  vips: readonly string[],
  model: KeepalivedModel | undefined,
  health: HealthView | undefined,
  holds: boolean,
): VipPriority {
  const track = health === undefined ? [] : health.hasSpoken ? health.addends : found(health.trackFile, kind);
  const instance = model?.instances.find((each) => each.kind === kind);
  const sum =
    model === undefined || instance === undefined
      ? { arithmetic: [], priority: 0 }
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
    arithmetic: [...sum.arithmetic],
    priority: sum.priority,
    steered: health?.steered ?? null,
  };
}

function found(trackFile: string, kind: VipKind): readonly Addend[] {
  const points = readTrackValue(trackFile);
  const why =
    points <= TRACK.fault
      ? 'no health reported yet'
      : `${serverOf[kind]} was worth that to an earlier monitor`;
  return [{ points, why }];
}
