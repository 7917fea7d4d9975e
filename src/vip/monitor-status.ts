import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import { hawserVersion } from '../engine/system/version.ts';
import type { Participation } from '../keepalived/participation-note.ts';
import type { VrrpConfiguration } from './configuration/vrrp-configuration.ts';
import type { KeepalivedModel } from './group/vrrp.ts';
import { baseAddend, prioritySum } from './group/vrrp-priority.ts';
import type { HealthLoop } from './health/health-loop.ts';
import type { RouterIdGuard } from './segment/router-id-guard.ts';
import type { SplitBrainAlarm } from './segment/split-brain-alarm.ts';
import type { KeepalivedMonitorStatus } from './settings/keepalived-monitor-status.ts';

/** The status of a monitor that waits for the name of its cluster. */
export function waitingStatus(): KeepalivedMonitorStatus {
  return {
    version: hawserVersion(),
    clusterName: null,
    priorities: [],
    group: [],
    configSha256: null,
    splitBrain: [],
    virtualRouterIdTaken: null,
    lastChange: null,
  };
}

/** Returns a function that builds the current status from the parts of the monitor. */
export function createMonitorStatus(parts: {
  readonly clusterName: string;
  readonly configuration: Pick<VrrpConfiguration, 'view' | 'served'>;
  readonly loops: readonly HealthLoop[];
  readonly guard: Pick<RouterIdGuard, 'conflict'>;
  readonly alarm: Pick<SplitBrainAlarm, 'view'>;
}): () => KeepalivedMonitorStatus {
  const { clusterName, configuration, loops, guard, alarm } = parts;
  return () => ({
    ...waitingStatus(),
    clusterName,
    ...configuration.view(),
    priorities: loops.flatMap((loop) => priorityOf(loop, configuration.served())),
    splitBrain: alarm.view(),
    virtualRouterIdTaken: guard.conflict(),
  });
}

type VipPriority = KeepalivedMonitorStatus['priorities'][number];

/** This node's priority for the VIPs of one kind; empty if its configuration has no instance of the kind. */
function priorityOf({ kind, vips, view }: HealthLoop, model: KeepalivedModel | undefined): VipPriority[] {
  const { holder, addends, checks, value, participation, order } = view();
  const instance = model?.instances.find((each) => each.kind === kind);
  if (model !== undefined && instance === undefined) return [];
  const peers = instance?.peers.map(({ priority }) => priority) ?? [];
  const { priorityTerms, priority } =
    instance === undefined
      ? { priorityTerms: participation.state === 'in' ? [] : addends, priority: 0 }
      : prioritySum(baseAddend(instance.priority, peers), addends);
  const shown = participationView(participation);
  return [{ kind, vips, value, holder, checks, order, priority, priorityTerms, participation: shown }];
}

function participationView(decided: Participation): VipPriority['participation'] {
  if (decided.state === 'in') return { state: 'in', reason: null, untilMs: null };
  const leftMs = decided.state === 'waiting' ? decided.until - monotonicMs() : Number.POSITIVE_INFINITY;
  const untilMs = Number.isFinite(leftMs) ? Math.round(leftMs) : null;
  return { state: decided.state, reason: decided.reason, untilMs };
}
