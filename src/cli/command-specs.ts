import {
  haproxyMonitorCommand,
  renderCommand,
  showConfigCommand,
} from '../api-lb/haproxy-monitor-settings.ts';
import { haproxyReloadCommand, haproxyStatusCommand } from '../haproxy/supervise/haproxy-client-settings.ts';
import { haproxySuperviseCommand } from '../haproxy/supervise/haproxy-supervise-settings.ts';
import {
  keepalivedReloadCommand,
  keepalivedStartCommand,
  keepalivedStatusCommand,
  keepalivedStopCommand,
} from '../keepalived/supervise/keepalived-client-settings.ts';
import { keepalivedSuperviseCommand } from '../keepalived/supervise/keepalived-supervise-settings.ts';
import { doctorCommand } from '../operate/doctor/doctor-settings.ts';
import { installCommand, uninstallCommand } from '../operate/install/install-settings.ts';
import { rbacCommand } from '../operate/install/rbac-settings.ts';
import { planCommand } from '../operate/plan/plan-settings.ts';
import { statusCommand } from '../operate/status/status-settings.ts';
import { supportBundleCommand } from '../operate/support-bundle-settings.ts';
import { timelineCommand } from '../operate/timeline/timeline-settings.ts';
import { keepalivedMonitorCommand } from '../vip/keepalived-monitor-settings.ts';
import { renderKeepalivedCommand, showKeepalivedConfigCommand } from '../vip/keepalived-render-settings.ts';
import {
  drainCommand,
  drillCommand,
  moveVipCommand,
  undrainCommand,
} from '../vip/steering/steering-settings.ts';
import type { CommandSpec } from './command-line.ts';
import { completionCommand } from './completion-settings.ts';
import { settingsCommand } from './settings-command.ts';
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
