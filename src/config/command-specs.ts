import type { CommandSpec } from './command-line.ts';
import { completionCommand } from './completion-settings.ts';
import { doctorCommand } from './doctor-settings.ts';
import { haproxyReloadCommand, haproxyStatusCommand } from './haproxy-client-settings.ts';
import { haproxyMonitorCommand, renderCommand, showConfigCommand } from './haproxy-monitor-settings.ts';
import { haproxySuperviseCommand } from './haproxy-supervise-settings.ts';
import { installCommand, uninstallCommand } from './install-settings.ts';
import {
  keepalivedReloadCommand,
  keepalivedStartCommand,
  keepalivedStatusCommand,
  keepalivedStopCommand,
} from './keepalived-client-settings.ts';
import { keepalivedMonitorCommand } from './keepalived-monitor-settings.ts';
import { renderKeepalivedCommand, showKeepalivedConfigCommand } from './keepalived-render-settings.ts';
import { keepalivedSuperviseCommand } from './keepalived-supervise-settings.ts';
import { planCommand } from './plan-settings.ts';
import { rbacCommand } from './rbac-settings.ts';
import { settingsCommand } from './settings-command.ts';
import { statusCommand } from './status-settings.ts';
import { drainCommand, drillCommand, moveVipCommand, undrainCommand } from './steering-settings.ts';
import { supportBundleCommand } from './support-bundle-settings.ts';
import { timelineCommand } from './timeline-settings.ts';
import { versionCommand } from './version-settings.ts';

/** Everything that can be typed after `hawser`. */
export const commandSpecs: readonly CommandSpec[] = [
  haproxySuperviseCommand,
  haproxyMonitorCommand,
  renderCommand,
  renderKeepalivedCommand,
  showConfigCommand,
  showKeepalivedConfigCommand,
  installCommand,
  uninstallCommand,
  rbacCommand,
  settingsCommand,
  haproxyReloadCommand,
  haproxyStatusCommand,
  keepalivedSuperviseCommand,
  keepalivedMonitorCommand,
  keepalivedReloadCommand,
  keepalivedStatusCommand,
  keepalivedStartCommand,
  keepalivedStopCommand,
  statusCommand,
  planCommand,
  drainCommand,
  undrainCommand,
  moveVipCommand,
  drillCommand,
  doctorCommand,
  timelineCommand,
  supportBundleCommand,
  versionCommand,
  completionCommand,
];
