import { settingsTyped } from '../../cli/command-line.ts';
import type { SettingsReader } from '../../cli/settings-values.ts';
import type { StatusEndpoints } from '../../operate/status/collect-node-status.ts';
import { statusCommand } from '../../operate/status/status-settings.ts';
import type { KeepalivedMonitorSettings } from '../keepalived-monitor-settings.ts';

/**
 * Where to ask this node's programs for the status it publishes: the endpoints that `hawser status` would use with the
 * same settings file and environment. Throws a ConfigError as `hawser status` does.
 */
export function ownEndpoints(
  { settings: path, listen, nodeName }: KeepalivedMonitorSettings,
  env: NodeJS.ProcessEnv,
  readSettings: SettingsReader,
): StatusEndpoints {
  const places = settingsTyped(
    statusCommand,
    path === undefined ? [] : ['--settings', path],
    env,
    readSettings,
  );
  return {
    node: nodeName,
    pages: {
      'haproxy-supervisor': places.haproxySupervisor,
      'haproxy-monitor': places.haproxyMonitor,
      'keepalived-supervisor': places.keepalivedSupervisor,
      'keepalived-monitor': listen,
    },
    statPort: places.statPort,
  };
}
