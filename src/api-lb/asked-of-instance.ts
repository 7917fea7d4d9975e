import type { CommandSpec } from '../cli/command-spec.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import type { ApiLbContext } from './doctor/context.ts';
import { ports } from './doctor/ports.ts';
import { haproxyMonitorCommand } from './haproxy-monitor-settings.ts';

type SettingsOf = <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;

/** What is asked about an instance: of HAProxy where its supervisor is there, of the rest where a monitor is. */
export function askedOfInstance(settingsOf: SettingsOf, settings: ApiLbContext['settings']) {
  const [supervisor, monitor] = [settingsOf(haproxySuperviseCommand), settingsOf(haproxyMonitorCommand)];
  const { lbPort, statPort, healthPort, apiPort, haproxy } = monitor ?? settings;
  const own = {
    ...{ lbPort, statPort, healthPort, apiPort, haproxy },
    haproxySocket: supervisor?.socket ?? settings.haproxySocket,
    haproxyConfig: supervisor?.config ?? settings.haproxyConfig,
  };
  return {
    settings: own,
    apiVips: monitor?.vips ?? [],
    checks: [
      ...(supervisor === undefined ? [] : ['haproxy-supervisor']),
      // The controller of another product may keep the configuration in its pod.
      ...(monitor === undefined ? [] : ['haproxy-config', 'redirect']),
    ],
    ports: monitor === undefined ? [] : ports({ ...settings, ...own }),
  };
}
