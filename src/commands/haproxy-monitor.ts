import { monitorHaproxy } from '../api-lb/haproxy-monitor.ts';
import { haproxyMonitorCommand } from '../api-lb/haproxy-monitor-settings.ts';

export const spec = haproxyMonitorCommand;
export const run = monitorHaproxy;
