import { haproxyMonitorCommand } from '../api-lb/haproxy-monitor-settings.ts';
import { settingsFileReader } from '../cli/read-settings-file.ts';
import { settingsKeys } from '../cli/settings-keys.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import { keepalivedSuperviseCommand } from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { keepalivedMonitorCommand } from '../vip/settings/keepalived-monitor-settings.ts';

/** The daemons, whose flags are the keys of the settings file. */
export const daemonSpecs = {
  'haproxy supervise': haproxySuperviseCommand,
  'haproxy monitor': haproxyMonitorCommand,
  'keepalived supervise': keepalivedSuperviseCommand,
  'keepalived monitor': keepalivedMonitorCommand,
} as const;

/** All that a settings file may have. */
export const daemonKeys = settingsKeys(Object.values(daemonSpecs));

export const readSettingsFile = settingsFileReader(daemonKeys);
