import { showConfigCommand } from '../api-lb/haproxy-monitor-settings.ts';
import { loadBalancerModel } from '../api-lb/load-balancer.ts';
import { serversOnce } from '../api-lb/open-server-list.ts';
import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { createLog } from '../engine/observe/logger.ts';
import { settingsWithOrigins } from './settings-with-origins.ts';

export const spec = showConfigCommand;

/** `hawser show-config`: prints the template's model as JSON, with the origin of each setting. */
export async function run(settings: SettingsOf<typeof spec>, { line }: CommandContext): Promise<number> {
  const servers = await serversOnce(settings, createLog('show-config', settings.logLevel));
  const model = loadBalancerModel(settings, servers ?? []);
  const shown = { ...model, settings: settingsWithOrigins(line) };
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  return servers === undefined ? 1 : 0;
}
