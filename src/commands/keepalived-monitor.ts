import { monitorKeepalived } from '../vip/keepalived-monitor.ts';
import { keepalivedMonitorCommand } from '../vip/settings/keepalived-monitor-settings.ts';

export const spec = keepalivedMonitorCommand;
export const run = monitorKeepalived;
