import { hawserVersion } from '../engine/system/version.ts';
import type { VipKind } from '../keepalived/vip-kind.ts';
import type { VrrpConfiguration } from './configuration/vrrp-configuration.ts';
import { readLocalVrrpRole } from './group/local-vrrp-role.ts';
import type { HealthLoop } from './health/health-loop.ts';
import { priorityOf, type VipPriority } from './health/vip-priority.ts';
import type { RouterIdGuard } from './segment/router-id-guard.ts';
import type { SplitBrainAlarm } from './segment/split-brain-alarm.ts';
import type { KeepalivedMonitorSettings } from './settings/keepalived-monitor-settings.ts';
import type { KeepalivedMonitorStatus } from './settings/keepalived-monitor-status.ts';

/** The status of a monitor that does not know its cluster yet. */
export function waitingStatus(): KeepalivedMonitorStatus {
  return {
    version: hawserVersion(),
    clusterName: null,
    ...{ priorities: [], group: [], configSha256: null, splitBrain: [] },
    ...{ virtualRouterIdTaken: null, lastChange: null },
  };
}

/** Builds the status from the parts of the monitor at each call. */
export function createMonitorStatus(
  settings: KeepalivedMonitorSettings,
  parts: {
    readonly clusterName: string;
    readonly configuration: Pick<VrrpConfiguration, 'view' | 'served'>;
    readonly loops: readonly HealthLoop[];
    readonly guard: Pick<RouterIdGuard, 'conflict'>;
    readonly alarm: Pick<SplitBrainAlarm, 'view'>;
  },
): () => KeepalivedMonitorStatus {
  const version = hawserVersion();
  const { clusterName, configuration, loops, guard, alarm } = parts;
  const vipPriority = (kind: VipKind, vips: readonly string[]): readonly VipPriority[] => {
    if (vips.length === 0) return [];
    const model = configuration.served();
    if (model !== undefined && !model.instances.some((each) => each.kind === kind)) return [];
    const names = new Set(model?.instances.map(({ name }) => name));
    const holds = readLocalVrrpRole(settings.stateFile, names, Date.now(), kind).role === 'holder';
    const health = loops.find((loop) => loop.kind === kind)?.view();
    return [priorityOf(kind, vips, model, health, holds)];
  };
  return () => ({
    version,
    clusterName,
    ...configuration.view(),
    priorities: [...vipPriority('api', settings.apiVips), ...vipPriority('ingress', settings.ingressVips)],
    splitBrain: alarm.view(),
    virtualRouterIdTaken: guard.conflict(),
  });
}
