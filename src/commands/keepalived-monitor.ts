import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { ownStatus } from '../operate/status/own-status.ts';
import { monitorKeepalived } from '../vip/keepalived-monitor.ts';
import { keepalivedMonitorCommand } from '../vip/settings/keepalived-monitor-settings.ts';
import { statusProducts } from './status-products.ts';

export const spec = keepalivedMonitorCommand;

export async function run(settings: SettingsOf<typeof spec>, context: CommandContext): Promise<number> {
  const status =
    settings.peers && ownStatus({ program: 'keepalived-monitor', ...settings }, context, statusProducts);
  return await monitorKeepalived(settings, status);
}
