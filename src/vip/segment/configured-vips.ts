import { join } from 'node:path';
import { readText } from '../../engine/system/file/read-regular-file.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { ACCEPTED_FILE, parseConfiguration, readAccepted } from '../../keepalived/parse-configuration.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { WatchedInstance } from '../../keepalived/vip-presence.ts';
import { isInstanceOf } from '../group/vrrp-instances.ts';
import type { KeepalivedMonitorSettings } from '../settings/keepalived-monitor-settings.ts';
import type { ProbedVip } from './segment-capture.ts';

export interface ConfiguredVip extends ProbedVip {
  readonly masterDownMs: number;
}

/** The instances of keepalived's running configuration, or of keepalived.conf if keepalived has not accepted one yet. */
export function configuredInstances({
  runDir,
  config,
}: Pick<KeepalivedMonitorSettings, 'runDir' | 'config'>): readonly WatchedInstance[] {
  return (readAccepted(join(runDir, ACCEPTED_FILE)) ?? parseConfiguration(readText(config))).instances;
}

export function vipsOf(kind: VipKind, instances: readonly WatchedInstance[]): readonly ConfiguredVip[] {
  return instances
    .filter(({ name }) => isInstanceOf(kind, name))
    .flatMap(({ vips, virtualRouterId, peers, masterDownMs }) =>
      vips.map(({ address, interface: device }) => ({
        vip: address,
        family: familyOf(address),
        interface: device,
        virtualRouterId,
        senders: peers,
        masterDownMs,
      })),
    );
}
